// Threads that come while the process runs.
#ifndef ASYNCOPS_BASE_THREAD_H_
#define ASYNCOPS_BASE_THREAD_H_

#include <functional>
#include <optional>
#include <thread>

namespace asyncops {

// A thread that runs this; nothing where the system has none left.
std::optional<std::jthread> StartThread(std::function<void()> run);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_THREAD_H_
