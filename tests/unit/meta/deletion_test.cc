#include "api/meta/deletion.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace asyncops {
namespace {

constexpr Time kNow = std::chrono::sys_days(std::chrono::year(2026) / 3 / 4);
constexpr std::string_view kMarked =
    R"("deletionGracePeriodSeconds":0,"deletionTimestamp":"2026-03-04T00:00:00Z")";

Json Parsed(std::string_view text) {
  const Result<Json> parsed = ParseJson(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Json();
}

Json WithFinalizers(std::string_view list, std::string_view more = "") {
  return Parsed(R"({"metadata":{"finalizers":)" + std::string(list) + std::string(more) + "}}");
}

TEST(DeletionTest, WhatNothingHoldsGoesAsItIs) {
  for (const auto policy :
       {std::optional<Propagation>(), std::optional(Propagation::kBackground)}) {
    Json object = Parsed(R"({"metadata":{"generation":3}})");
    EXPECT_EQ(BeginDeletion(policy, kNow, &object), DeletionStep::kRemove);
    EXPECT_EQ(EncodeJson(object), R"({"metadata":{"generation":3}})");
  }
}

TEST(DeletionTest, WhatIsHeldIsMarkedOnce) {
  Json object = WithFinalizers(R"(["a.example/x"])", R"(,"generation":3)");
  EXPECT_EQ(BeginDeletion(std::nullopt, kNow, &object), DeletionStep::kUpdate);
  EXPECT_EQ(EncodeJson(object), R"({"metadata":{)" + std::string(kMarked) +
                                    R"(,"finalizers":["a.example/x"],"generation":4}})");
  const Json marked = object;
  EXPECT_EQ(BeginDeletion(std::nullopt, kNow + std::chrono::hours(1), &object),
            DeletionStep::kNone);
  EXPECT_EQ(object, marked);
}

TEST(DeletionTest, WhatCountsNoGenerationsGetsNone) {
  Json object = WithFinalizers(R"(["a.example/x"])");
  EXPECT_EQ(BeginDeletion(std::nullopt, kNow, &object), DeletionStep::kUpdate);
  EXPECT_EQ(object.FindPath({"metadata", "generation"}), nullptr);
}

struct PolicyCase {
  std::string_view reason;
  std::string_view before;
  std::optional<Propagation> policy;
  std::string_view after;
};

TEST(DeletionTest, APolicyChoosesItsFinalizer) {
  const std::vector<PolicyCase> table = {
      {"dependents first", R"(["a"])", Propagation::kForeground, R"(["a","foregroundDeletion"])"},
      {"dependents stay", R"(["a"])", Propagation::kOrphan, R"(["a","orphan"])"},
      {"dependents afterwards", R"(["a","orphan"])", Propagation::kBackground, R"(["a"])"},
      {"another mind", R"(["orphan"])", Propagation::kForeground, R"(["foregroundDeletion"])"},
      {"the object's own wish", R"(["orphan"])", std::nullopt, R"(["orphan"])"},
      {"once is enough", R"(["orphan"])", Propagation::kOrphan, R"(["orphan"])"},
  };
  for (const PolicyCase& row : table) {
    Json object = WithFinalizers(row.before);
    EXPECT_EQ(BeginDeletion(row.policy, kNow, &object), DeletionStep::kUpdate) << row.reason;
    EXPECT_EQ(EncodeJson(*object.FindPath({"metadata", "finalizers"})), row.after) << row.reason;
  }
}

TEST(DeletionTest, ALaterPolicyCountsToo) {
  Json object = Parsed(R"({"metadata":{}})");
  EXPECT_EQ(BeginDeletion(Propagation::kForeground, kNow, &object), DeletionStep::kUpdate);
  Json other = object;
  EXPECT_EQ(BeginDeletion(Propagation::kOrphan, kNow, &other), DeletionStep::kUpdate);
  EXPECT_TRUE(HasFinalizer(other, kOrphanFinalizer));
  EXPECT_FALSE(HasFinalizer(other, kForegroundFinalizer));
  EXPECT_EQ(BeginDeletion(Propagation::kBackground, kNow, &object), DeletionStep::kRemove);
}

TEST(DeletionTest, ANamespaceIsHeldByItsSpec) {
  Json object = Parsed(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"},)"
                       R"("spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})");
  EXPECT_TRUE(IsHeld(object));
  EXPECT_FALSE(HasFinalizers(object));
  EXPECT_EQ(BeginDeletion(std::nullopt, kNow, &object), DeletionStep::kUpdate);
  EXPECT_EQ(object.StringAt({"status", "phase"}), "Terminating");
  EXPECT_TRUE(IsUnderDeletion(object));
}

TEST(DeletionTest, ASpecOfAnotherKindHoldsNothing) {
  Json object = Parsed(R"({"apiVersion":"a.example/v1","kind":"Namespace","metadata":{},)"
                       R"("spec":{"finalizers":["kubernetes"]}})");
  EXPECT_FALSE(IsHeld(object));
  EXPECT_EQ(BeginDeletion(std::nullopt, kNow, &object), DeletionStep::kRemove);
}

TEST(DeletionTest, DroppingTheLastFinalizerLeavesNoList) {
  Json object = WithFinalizers(R"(["a","b"])");
  DropFinalizer("a", &object);
  EXPECT_EQ(EncodeJson(object), R"({"metadata":{"finalizers":["b"]}})");
  DropFinalizer("nowhere", &object);
  DropFinalizer("b", &object);
  EXPECT_EQ(EncodeJson(object), R"({"metadata":{}})");
}

TEST(DeletionTest, KnowsThePolicies) {
  EXPECT_EQ(ParsePropagation("Foreground"), Propagation::kForeground);
  EXPECT_EQ(ParsePropagation("Orphan"), Propagation::kOrphan);
  EXPECT_EQ(ParsePropagation("Background"), Propagation::kBackground);
  EXPECT_EQ(ParsePropagation("background"), std::nullopt);
  EXPECT_EQ(ParsePropagation(""), std::nullopt);
}

}  // namespace
}  // namespace asyncops
