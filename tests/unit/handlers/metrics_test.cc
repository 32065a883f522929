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
  EXPECT_LT(series, 13u) << text;
}

TEST_F(MetricsTest, CountsOpenWatches) {
  const std::string open =
      R"(apiserver_longrunning_requests{component="apiserver",group="asyncops.dev",)"
      R"(resource="asyncresources",scope="namespace",subresource="",verb="WATCH",)"
      R"(version="v1alpha1"} )";
  auto watch = api.Watch(std::string(kResources) + "?watch=true");
  EXPECT_THAT(Text(), HasSubstr(open + "1"));
  watch.reset();
  EXPECT_THAT(Text(), HasSubstr(open + "0"));
}

TEST_F(MetricsTest, CountsEventsOfWatchesAndTheirBytes) {
  const std::string labels =
      R"({group="asyncops.dev",resource="asyncresources",version="v1alpha1"} )";
  auto watch = api.Watch(std::string(kResources) + "?watch=true");
  for (const char* name : {"a", "b", "c"})
    api.Send("POST", kResources, EncodeJson(ResourceObject(name)));
  ASSERT_EQ(watch->Next(3).size(), 3u);
  EXPECT_THAT(Text(), HasSubstr("apiserver_watch_events_total" + labels + "3\n"));
  EXPECT_THAT(Text(), HasSubstr("apiserver_watch_events_sizes_count" + labels + "3\n"));
  EXPECT_THAT(Text(), Not(HasSubstr("apiserver_watch_events_sizes_sum" + labels + "0\n")));
}

TEST_F(MetricsTest, NamesWhatDashboardsKnow) {
  api.Get(kResources, {{"Authorization", "Bearer wrong"}});
  api.Get(kResources, {{"Authorization", "none"}});
  api.Get(kResources);
  const std::string text = Text();
  for (const std::string_view part :
       {R"(apiserver_request_sli_duration_seconds_bucket{component="apiserver",)"
        R"(group="asyncops.dev",resource="asyncresources",scope="namespace",subresource="",)"
        R"(verb="LIST",version="v1alpha1",le="0.05"} )",
        R"(apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",)"
        R"(group="asyncops.dev",resource="asyncresources",scope="namespace",subresource="",)"
        R"(verb="LIST",version="v1alpha1",le="0.005"} )",
        R"(authentication_attempts{result="error"} 1)",
        R"(authentication_attempts{result="failure"} 1)",
        R"(authentication_duration_seconds_bucket{result="success",le="0.001"} )",
        R"(authenticated_user_requests{username="other"} )",
        R"(authorization_attempts_total{result="denied"} 1)",
        R"(authorization_attempts_total{result="allowed"} )", "apiserver_audit_event_total ",
        "apiserver_tls_handshake_errors_total 0", "\nprocess_cpu_seconds_total ",
        "\nprocess_resident_memory_bytes ", "\nprocess_open_fds ", "\nprocess_max_fds ",
        "\nprocess_start_time_seconds ", "\nprocess_virtual_memory_bytes "}) {
    EXPECT_THAT(text, HasSubstr(std::string(part)));
  }
  EXPECT_THAT(text, Not(HasSubstr("tester")));
}

TEST_F(MetricsTest, AnApplyIsNoPatch) {
  api.Send("PATCH", At(kResources, "v") + "?fieldManager=m", "{}",
           {{"Content-Type", "application/apply-patch+yaml"}});
  api.Patch(At(kResources, "v"), "{}");
  EXPECT_THAT(Text(), HasSubstr(R"(subresource="",verb="APPLY",version="v1alpha1"} 1)"));
  EXPECT_THAT(Text(), HasSubstr(R"(subresource="",verb="PATCH",version="v1alpha1"} 1)"));
}

TEST_F(MetricsTest, RequestsThatAreTurnedAwayAreTerminations) {
  std::vector<ApiContext> waiting;
  api.SetResourceFunction([&waiting](const ResourceInfo& /*resource*/, ApiContext context) {
    waiting.push_back(std::move(context));
  });
  for (int i = 0; i <= 200; ++i)
    api.Start(ApiHarness::MakeRequest("POST", kResources, "", {}), [](const http::Response&) {});
  EXPECT_THAT(Text(), HasSubstr(R"(apiserver_request_terminations_total{code="429",)"));
  EXPECT_THAT(Text(),
              HasSubstr(R"(apiserver_current_inflight_requests{request_kind="mutating"} 200)"));
}

// A list that breaks off in the middle.
class BrokenSource final : public http::BodySource {
 public:
  State Read(std::string* /*out*/) override { return State::kAbort; }
  void SetWake(std::function<void()> /*wake*/) override {}
  void Stop() override {}
};

TEST_F(MetricsTest, AnswersThatBreakOffAreAborts) {
  api.SetResourceFunction([](const ResourceInfo& /*resource*/, const ApiContext& context) {
    http::Response response;
    response.source = std::make_unique<BrokenSource>();
    context.respond(std::move(response));
  });
  EXPECT_TRUE(api.Get(kResources).aborted);
  EXPECT_THAT(Text(), HasSubstr(R"(apiserver_request_aborts_total{group="asyncops.dev",)"
                                R"(resource="asyncresources",scope="namespace",subresource="",)"
                                R"(verb="LIST",version="v1alpha1"} 1)"));
}

TEST(MetricsTextTest, SourcesOfOneNameStandTogether) {
  Metrics metrics({{"workqueue_depth", "Keys.", [] { return 3.0; }, R"(name="a")"},
                   {"workqueue_depth", "Keys.", [] { return 4.0; }, R"(name="b")"},
                   {"adds_total", "Adds.", [] { return 5.0; }, "", true}},
                  {[] { return std::string("# HELP own Ours.\nown 1\n"); }});
  const auto answer = metrics.Serve(ApiHarness::MakeRequest("GET", "/metrics", "", {}));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->body, HasSubstr("# HELP workqueue_depth Keys.\n# TYPE workqueue_depth gauge\n"
                                      "workqueue_depth{name=\"a\"} 3\n"
                                      "workqueue_depth{name=\"b\"} 4\n"
                                      "# HELP adds_total Adds.\n# TYPE adds_total counter\n"
                                      "adds_total 5\n# HELP own Ours.\nown 1\n"));
}

}  // namespace
}  // namespace asyncops::apiserver
