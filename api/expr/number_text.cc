#include "api/expr/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace asyncops::expr {

std::string DoubleText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  const double size = std::fabs(number);
  const bool fixed = size == 0 || (size >= 1e-6 && size < 1e21);
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  return {buffer.data(), end.ptr};
}

}  // namespace asyncops::expr
