#include "api/expr/text_search.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace asyncops::expr {

std::size_t FindText(std::string_view text, std::string_view needle, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  // std::string_view::find takes the product of both lengths in the worst case; glibc's memmem
  // takes their sum.
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t FindLastText(std::string_view text, std::string_view needle, std::size_t last) {
  if (needle.size() > text.size()) return std::string_view::npos;
  const std::size_t end = std::min(last, text.size() - needle.size()) + needle.size();
  const std::string backwards(text.rend() - static_cast<std::ptrdiff_t>(end), text.rend());
  const std::string needle_backwards(needle.rbegin(), needle.rend());
  const std::size_t found = FindText(backwards, needle_backwards);
  if (found == std::string_view::npos) return found;
  return end - found - needle.size();
}

}  // namespace asyncops::expr
