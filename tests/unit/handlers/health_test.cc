#include "apiserver/handlers/health.h"

#include <gtest/gtest.h>

#include "tests/support/api_harness.h"

namespace asyncops::apiserver {
namespace {

struct HealthTest : testing::Test {
  HealthTest() { api.health().SetReady(true); }
  std::string Ask(std::string_view target) {
    const ApiResponse answer = api.Get(target, {{"Authorization", "none"}});
    return std::to_string(answer.status) + " " + answer.body;
  }
  ApiHarness api;
};

constexpr std::string_view kAllOk = "200 [+]ping ok\n[+]sqlite ok\n[+]shutdown ok\n";

struct Row {
  std::string_view reason;
  std::string_view target;
  std::string expected;
};

TEST_F(HealthTest, AnswersEachEndpointToAnybody) {
  const std::string all(kAllOk);
  const std::vector<Row> table = {
      {"alive", "/livez", "200 ok"},
      {"ready", "/readyz", "200 ok"},
      {"the old name", "/healthz", "200 ok"},
      {"one check", "/readyz/sqlite", "200 ok"},
      {"all checks told", "/readyz?verbose", all + "readyz check passed\n"},
      {"readiness alone asks for shutdown", "/livez?verbose",
       "200 [+]ping ok\n[+]sqlite ok\nlivez check passed\n"},
      {"one left out", "/livez?verbose&exclude=sqlite",
       "200 [+]ping ok\n[+]sqlite excluded: ok\nlivez check passed\n"},
      {"verbose with any value", "/readyz?verbose=false", all + "readyz check passed\n"},
      {"what is left out twice", "/livez?verbose&exclude=ping&exclude=ping",
       "200 [+]ping excluded: ok\n[+]sqlite ok\nlivez check passed\n"},
      {"one left out that is not there", "/livez?verbose=true&exclude=y&exclude=x&exclude=y",
       "200 [+]ping ok\n[+]sqlite ok\nwarn: some health checks cannot be excluded: no matches for "
       "\"x\",\"y\"\nlivez check passed\n"},
      {"one check is never verbose", "/livez/ping?verbose", "200 ok"},
  };
  for (const Row& row : table) EXPECT_EQ(Ask(row.target), row.expected) << row.reason;
  EXPECT_EQ(api.Get("/livez/shutdown").status, 404);
  EXPECT_EQ(api.Get("/livezz").status, 404);
  EXPECT_EQ(api.Send("HEAD", "/readyz", "", {{"Authorization", "none"}}).status, 200);
}

TEST_F(HealthTest, IsPlainTextThatNobodySniffs) {
  const ApiResponse answer = api.Get("/livez");
  EXPECT_EQ(answer.headers.Get("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.headers.Get("X-Content-Type-Options"), "nosniff");
}

TEST_F(HealthTest, AFailureIsTellingButWithholdsTheReason) {
  api.SetStoreStatus(Status(Reason::kServiceUnavailable, "the disk at /secret/place is gone"));
  EXPECT_EQ(Ask("/livez"),
            "500 [+]ping ok\n[-]sqlite failed: reason withheld\nlivez check failed\n");
  EXPECT_EQ(Ask("/livez?exclude=sqlite"), "200 ok");
  EXPECT_EQ(Ask("/livez/ping"), "200 ok");
  EXPECT_EQ(Ask("/livez/sqlite"), "500 internal server error: reason withheld\n");
  EXPECT_EQ(Ask("/livez/sqlite?exclude=sqlite"), "500 internal server error: reason withheld\n");
}

TEST_F(HealthTest, ReadinessEndsWithShutdown) {
  api.health().SetReady(false);
  EXPECT_EQ(Ask("/readyz"),
            "500 [+]ping ok\n[+]sqlite ok\n[-]shutdown failed: reason withheld\n"
            "readyz check failed\n");
  EXPECT_EQ(Ask("/livez"), "200 ok");
}

TEST(VersionTest, SpeaksForAKubernetesRelease) {
  ApiHarness api;
  const ApiResponse answer = api.Get("/version");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Text({"major"}), "1");
  EXPECT_EQ(answer.Text({"minor"}), "33");
  EXPECT_EQ(answer.Text({"gitVersion"}), "v1.33.0+asyncops-0.1.0");
  EXPECT_EQ(api.Get("/version/").status, 200);
  EXPECT_EQ(api.Get("/").Text({"paths"}), R"(["/api","/apis"])");
}

}  // namespace
}  // namespace asyncops::apiserver
