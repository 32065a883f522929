#include "apiserver/handlers/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;
using testing::Not;

struct MetricsTest : testing::Test {
  std::string Text() { return api.Get("/metrics").body; }
  ApiHarness api;
};

TEST_F(MetricsTest, CountsRequestsByTheirLabels) {
  api.Get(At(kResources, "nothing"));
  api.Get(At(kResources, "nothing"));
  EXPECT_THAT(Text(),
              HasSubstr(R"(apiserver_request_total{code="404",component="apiserver",dry_run="",)"
                        R"(group="asyncops.dev",resource="asyncresources",scope="resource",)"
                        R"(subresource="",verb="GET",version="v1alpha1"} 2)"));
}

TEST_F(MetricsTest, SpeaksPrometheusText) {
  const ApiResponse answer = api.Get("/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const std::string_view name :
       {"apiserver_request_duration_seconds_bucket", "apiserver_response_sizes_sum",
        "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1",
        "apiserver_current_inflight_requests{request_kind=\"mutating\"} 0",
        "asyncops_store_revision 3"})
    EXPECT_THAT(answer.body, HasSubstr(std::string(name)));
}

TEST_F(MetricsTest, WhatAClientMakesUpBecomesNoLabel) {
  for (int i = 0; i < 50; ++i) {
    const std::string made_up = "made-up-" + std::to_string(i);
    api.Get("/" + made_up);
    api.Get("/apis/" + made_up + "/v1/things");
    api.Get("/apis/asyncops.dev/" + made_up + "/asyncresources");
    api.Get(At(kResources, "n/" + made_up));
    api.Get(At(kResources, made_up));
    api.Send("MADEUP" + std::to_string(i), kResources);
  }
  const std::string text = Text();
  EXPECT_THAT(text, Not(HasSubstr("made-up")));
  EXPECT_THAT(text, Not(HasSubstr("MADEUP")));
  std::size_t series = 0;
  for (std::size_t at = 0; (at = text.find("\napiserver_request_total{", at)) != std::string::npos;
       ++at)
    ++series;
  EXPECT_LT(series, 12u) << text;
}

TEST_F(MetricsTest, CountsOpenWatches) {
  const std::string open =
      R"(apiserver_longrunning_requests{resource="asyncresources",verb="WATCH"} )";
  auto watch = api.Watch(std::string(kResources) + "?watch=true");
  EXPECT_THAT(Text(), HasSubstr(open + "1"));
  watch.reset();
  EXPECT_THAT(Text(), HasSubstr(open + "0"));
}

}  // namespace
}  // namespace asyncops::apiserver
