#include "callbacks/message.h"

#include "base/ascii.h"

namespace asyncops::callbacks {

std::string_view FindHeader(const Message& message, std::string_view name) {
  for (const auto& [key, value] : message.headers) {
    if (EqualsIgnoreCase(key, name)) return TrimBlanks(value);
  }
  return {};
}

std::vector<std::string_view> FindHeaders(const Message& message, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : message.headers) {
    if (EqualsIgnoreCase(key, name)) values.push_back(TrimBlanks(value));
  }
  return values;
}

}  // namespace asyncops::callbacks
