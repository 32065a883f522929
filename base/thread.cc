#include "base/thread.h"

#include <system_error>
#include <utility>

namespace asyncops {

std::optional<std::jthread> StartThread(std::function<void()> run) {
  try {
    return std::jthread(std::move(run));
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace asyncops
