#include "base/metric_text.h"

#include <gtest/gtest.h>
#include <limits>

namespace asyncops {
namespace {

TEST(MetricTextTest, WritesHeadsAndSamples) {
  std::string out;
  AppendMetricHead("requests_total", "counter", "Requests.", &out);
  AppendMetricSample("requests_total", "", 3, &out);
  AppendMetricSample("requests_total", R"(code="200",verb="GET")", 0.25, &out);
  EXPECT_EQ(out,
            "# HELP requests_total Requests.\n"
            "# TYPE requests_total counter\n"
            "requests_total 3\n"
            "requests_total{code=\"200\",verb=\"GET\"} 0.25\n");
}

TEST(MetricTextTest, ShowsWholeNumbersWithAllTheirDigits) {
  struct Row {
    double value;
    std::string_view text;
    std::string_view reason;
  };
  for (const Row& row : std::initializer_list<Row>{
           {0, "0", "nothing"},
           {1000000, "1000000", "not 1e+06"},
           {-7, "-7", "below zero"},
           {9007199254740992.0, "9007199254740992", "the last that is exact"},
           {1e300, "1e+300", "beyond it"},
           {1e-6, "1e-06", "a bound of a histogram"},
           {0.005, "0.005", "the shortest text"},
           {std::numeric_limits<double>::infinity(), "inf", "Prometheus reads it in any case"}}) {
    EXPECT_EQ(MetricNumber(row.value), row.text) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops
