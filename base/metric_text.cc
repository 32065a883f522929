#include "base/metric_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace asyncops {
namespace {

// Every whole number up to here is a double, and is shown with all its digits.
constexpr double kMaxWhole = 9007199254740992.0;

}  // namespace

void AppendMetricHead(std::string_view name, std::string_view type, std::string_view help,
                      std::string* out) {
  out->append("# HELP ").append(name).append(" ").append(help);
  out->append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

void AppendMetricSample(std::string_view name, std::string_view labels, double value,
                        std::string* out) {
  out->append(name);
  if (!labels.empty()) out->append("{").append(labels).append("}");
  out->append(" ").append(MetricNumber(value)).append("\n");
}

std::string MetricNumber(double value) {
  std::array<char, 32> text{};
  char* const end = text.data() + text.size();
  const bool whole = std::trunc(value) == value && std::abs(value) <= kMaxWhole;
  const auto written = whole ? std::to_chars(text.data(), end, static_cast<long long>(value))
                             : std::to_chars(text.data(), end, value);
  return std::string(text.data(), written.ptr);
}

}  // namespace asyncops
