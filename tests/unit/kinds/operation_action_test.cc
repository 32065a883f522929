#include "api/operations/v1alpha1/operation_action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"

namespace asyncops {
namespace {

using testing::HasSubstr;

Json Operation(std::string_view phase, std::string_view state) {
  return Json::Of({{"metadata", Json::Of({{"name", "o"}})},
                   {"status", Json::Of({{"phase", phase}, {"state", state}})}});
}

Time Noon() { return *ParseTime("2026-11-29T12:00:00Z"); }

TEST(OperationActionTest, RequestsAreTheAnnotationsOfPeople) {
  struct Row {
    std::string reason;
    std::string subresource;
    Json body;
    OperationRequest expected;
  };
  const std::vector<Row> table = {
      {"a cancel is its time",
       "cancel",
       JsonObject(),
       {"asyncops.dev/cancel-requested-at", "2026-11-29T12:00:00.000000Z"}},
      {"so is a retry",
       "retry",
       JsonObject(),
       {"asyncops.dev/retry-requested-at", "2026-11-29T12:00:00.000000Z"}},
      {"a resolution is its outcome",
       "resolve",
       Json::Of({{"outcome", "Fail"}}),
       {"asyncops.dev/resolve", "Fail"}},
      {"an adoption names what it adopts",
       "resolve",
       Json::Of({{"outcome", "Adopt"}, {"operationID", "op-1"}}),
       {"asyncops.dev/resolve", "Adopt:op-1"}},
      {"and says where it is forced",
       "resolve",
       Json::Of({{"outcome", "Adopt"}, {"operationID", "op-1"}, {"force", true}}),
       {"asyncops.dev/resolve", "ForceAdopt:op-1"}},
  };
  for (const Row& row : table) {
    const Result<OperationRequest> request =
        ReadOperationRequest(row.subresource, row.body, Noon());
    ASSERT_TRUE(request.ok()) << row.reason << request.status().ToString();
    EXPECT_EQ(*request, row.expected) << row.reason;
  }
}

TEST(OperationActionTest, AnAdoptionNeedsAnIDAndTheOthersHaveNone) {
  const auto refused = [](std::string_view outcome, std::string_view id) {
    const Json body = Json::Of({{"outcome", outcome}, {"operationID", id}});
    return ReadOperationRequest("resolve", body, Noon()).status();
  };
  EXPECT_EQ(refused("Adopt", "").reason(), Reason::kInvalid);
  EXPECT_THAT(refused("Adopt", "").message(), HasSubstr("operationID: Required value"));
  EXPECT_THAT(refused("Retry", "x").message(), HasSubstr("operationID: Forbidden"));
  const Json forced = Json::Of({{"outcome", "Retry"}, {"force", true}});
  EXPECT_THAT(ReadOperationRequest("resolve", forced, Noon()).status().message(),
              HasSubstr("force: Forbidden"));
  EXPECT_TRUE(refused("Fail", "").ok());
}

TEST(OperationActionTest, IsRecordedBesideOtherAnnotations) {
  Json operation = Operation("Running", "Running");
  operation.ObjectAt("metadata").Set("annotations", Json::Of({{"a", "b"}}));
  const Result<Json> recorded =
      RecordOperationRequest({"asyncops.dev/cancel-requested-at", "now"}, std::move(operation));
  ASSERT_TRUE(recorded.ok()) << recorded.status().ToString();
  EXPECT_EQ(*recorded->FindPath({"metadata", "annotations"}),
            Json::Of({{"a", "b"}, {"asyncops.dev/cancel-requested-at", "now"}}));
}

TEST(OperationActionTest, AnOperationThatNobodyBeganCanBeCancelled) {
  const Json fresh = Json::Of({{"metadata", Json::Of({{"name", "o"}})}});
  EXPECT_TRUE(RecordOperationRequest({"asyncops.dev/cancel-requested-at", "now"}, fresh).ok());
  const Status resolved = RecordOperationRequest({"asyncops.dev/resolve", "Retry"}, fresh).status();
  EXPECT_EQ(resolved.reason(), Reason::kConflict);
  EXPECT_THAT(resolved.message(), HasSubstr("the state is Pending"));
}

TEST(OperationActionTest, WhatIsBeingDeletedIsNotRetried) {
  Json operation = Operation("Failed", "Failed");
  operation.ObjectAt("metadata").Set("deletionTimestamp", "2026-11-29T12:00:00Z");
  EXPECT_EQ(RecordOperationRequest({"asyncops.dev/retry-requested-at", "now"}, operation)
                .status()
                .reason(),
            Reason::kConflict);
  operation = Operation("Running", "OutcomeUnknown");
  operation.ObjectAt("metadata").Set("deletionTimestamp", "2026-11-29T12:00:00Z");
  EXPECT_TRUE(RecordOperationRequest({"asyncops.dev/resolve", "Fail"}, operation).ok())
      << "the doubt is what holds the deletion";
}

}  // namespace
}  // namespace asyncops
