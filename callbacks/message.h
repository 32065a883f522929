// A callback as it came: headers and raw bytes.
#ifndef ASYNCOPS_CALLBACKS_MESSAGE_H_
#define ASYNCOPS_CALLBACKS_MESSAGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asyncops::callbacks {

// The greatest body that is read; a longer one is answered 413.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{1024} * 1024;

struct Message {
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// The first value, without blanks around it; names compare without regard to case. "" where there
// is none.
std::string_view FindHeader(const Message& message, std::string_view name);
// All values, in the order they came.
std::vector<std::string_view> FindHeaders(const Message& message, std::string_view name);

}  // namespace asyncops::callbacks

#endif  // ASYNCOPS_CALLBACKS_MESSAGE_H_
