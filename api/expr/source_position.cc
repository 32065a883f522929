#include "api/expr/source_position.h"

#include <algorithm>

#include "api/expr/utf8.h"

namespace asyncops::expr {

std::string Describe(std::string_view source, const Mistake& mistake) {
  const std::string_view before = source.substr(0, std::min(mistake.offset, source.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string text;
  if (source.find('\n') != std::string_view::npos) {
    text += "line " + std::to_string(1 + std::ranges::count(before, '\n')) + ", ";
  }
  text += "col " + std::to_string(1 + CountCodePoints(before.substr(line_start))) + ": ";
  return text + mistake.message;
}

}  // namespace asyncops::expr
