#include "tests/simcloud/behaviour.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace asyncops::simcloud {
namespace {

Result<Behaviour> Merge(const std::string& patch) {
  const Result<Json> json = ParseJson(patch);
  if (!json) return json.status();
  return MergeBehaviour(Behaviour{}, *json);
}

TEST(BehaviourTest, MergeChangesOnlyWhatIsNamed) {
  const Result<Behaviour> merged = Merge(R"({"operationDuration":"200ms"})");
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  EXPECT_EQ(merged->operation_duration, std::chrono::milliseconds(200));
  EXPECT_TRUE(merged->idempotency);
  EXPECT_TRUE(merged->progress);
}

TEST(BehaviourTest, WhatIsShownCanBePutAgain) {
  const Result<Behaviour> merged =
      Merge(R"({"idempotency":false,"progress":false,"retryAfter":7,"requireToken":"t","rules":[)"
            R"({"match":{"method":"POST","pathPrefix":"/v1"},"times":3,"action":{"delay":"1s"}},)"
            R"({"action":{"status":429,"retryAfter":2,"body":[1],"afterWork":false}}]})");
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  const Json shown = BehaviourJson(*merged);
  EXPECT_EQ(EncodeJson(shown).find("\"t\""), std::string::npos);
  const Result<Behaviour> again = MergeBehaviour(Behaviour{}, shown);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(BehaviourJson(*again), shown);
}

TEST(BehaviourTest, MistakesAreNamed) {
  struct Row {
    std::string patch;
    std::string message;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {"[]", "the behaviour must be an object", "no object"},
      {R"({"speed":1})", "unknown member \"speed\"", "unknown setting"},
      {R"({"operationDuration":2})", "operationDuration: must be a duration", "number"},
      {R"({"operationDuration":"-1s"})", "operationDuration: must be a duration", "negative"},
      {R"({"idempotency":"on"})", "idempotency: must be true or false", "text for a flag"},
      {R"({"retryAfter":"1\r\nX: y"})", "retryAfter: must be printable", "header injection"},
      {R"({"requireToken":5})", "requireToken: must be a token", "number for a token"},
      {R"({"rules":{}})", "rules: must be an array", "rules of another type"},
      {R"({"rules":[{}]})", "rules[0]: action: must be an object", "no action"},
      {R"({"rules":[{"action":{}}]})", "rules[0]: action: must name one", "empty action"},
      {R"({"rules":[{"action":{"explode":true}}]})", "rules[0]: action: must name one", "unknown"},
      {R"({"rules":[{"action":{"delay":"1s","garbage":true}}]})",
       "rules[0]: action: unknown member \"garbage\"", "two actions"},
      {R"({"rules":[{"action":{"delay":"1h"}}]})", "rules[0]: action.delay", "delay too long"},
      {R"({"rules":[{"action":{"garbage":false}}]})", "must be true", "action switched off"},
      {R"({"rules":[{"action":{"status":99}}]})", "action.status", "no HTTP status"},
      {R"({"rules":[{"action":{"failOperation":{}}}]})", "code must be", "failure without a code"},
      {R"({"rules":[{"times":0,"action":{"garbage":true}}]})", "times: must be", "never"},
      {R"({"rules":[{"match":{"path":"/"},"action":{"garbage":true}}]})",
       "match: unknown member \"path\"", "unknown match"},
      {R"({"rules":[{"match":{"method":1},"action":{"garbage":true}}]})",
       "match.method: must be a string", "match of another type"},
  };
  for (const Row& row : rows) {
    const Result<Behaviour> merged = Merge(row.patch);
    ASSERT_FALSE(merged.ok()) << row.reason;
    EXPECT_NE(merged.status().message().find(row.message), std::string::npos)
        << row.reason << ": " << merged.status().message();
  }
}

TEST(BehaviourTest, UsedUpRuleLetsTheNextOneApply) {
  Result<Behaviour> merged = Merge(R"({"rules":[{"action":{"status":500}},)"
                                   R"({"match":{"pathPrefix":"/v1"},"action":{"status":501}}]})");
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(TakeAction(&*merged, "GET", "/v1")->status, 500);
  EXPECT_FALSE(TakeAction(&*merged, "GET", "/v2").has_value());
  EXPECT_EQ(TakeAction(&*merged, "GET", "/v1")->status, 501);
  EXPECT_FALSE(TakeAction(&*merged, "GET", "/v1").has_value());
}

}  // namespace
}  // namespace asyncops::simcloud
