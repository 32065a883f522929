// Prometheus' text format 0.0.4, for numbers that no metrics library holds.
#ifndef ASYNCOPS_BASE_METRIC_TEXT_H_
#define ASYNCOPS_BASE_METRIC_TEXT_H_

#include <string>
#include <string_view>

namespace asyncops {

// The two lines before the samples of one name. `type` is counter, gauge or histogram; `help` has
// no line end and no backslash.
void AppendMetricHead(std::string_view name, std::string_view type, std::string_view help,
                      std::string* out);

// One sample. `labels` is `a="b",c="d"` with values that need no escape, or "".
void AppendMetricSample(std::string_view name, std::string_view labels, double value,
                        std::string* out);

// A number as a sample or a bucket's bound has it: the shortest text that reads back the same.
std::string MetricNumber(double value);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_METRIC_TEXT_H_
