#include "controllers/namespace_conditions.h"

#include <gtest/gtest.h>
#include <string>

namespace asyncops::controllers {
namespace {

constexpr Time kNow = std::chrono::sys_days(std::chrono::year(2026) / 3 / 4);

Json ConditionOf(const Json& object, std::string_view type) {
  for (const Json& condition : object.FindPath({"status", "conditions"})->as_array())
    if (condition.StringAt({"type"}) == type) return condition;
  return {};
}

TEST(NamespaceConditionsTest, NothingLeftIsSaidToo) {
  Json object = Json::Of({{"status", Json::Of({{"phase", "Terminating"}})}});
  SetNamespaceConditions({}, "", kNow, &object);
  EXPECT_EQ(object.StringAt({"status", "phase"}), "Terminating");
  EXPECT_EQ(EncodeJson(ConditionOf(object, "NamespaceContentRemaining")),
            R"({"lastTransitionTime":"2026-03-04T00:00:00Z","message":"All content successfully )"
            R"(removed","reason":"ContentRemoved","status":"False",)"
            R"("type":"NamespaceContentRemaining"})");
  EXPECT_EQ(ConditionOf(object, "NamespaceFinalizersRemaining").StringAt({"reason"}),
            "ContentHasNoFinalizers");
}

TEST(NamespaceConditionsTest, NamesResourcesAndFinalizers) {
  Json object = Json(JsonObject());
  SetNamespaceConditions({.resources = {{"asyncresources.asyncops.dev", 2}, {"secrets", 1}},
                          .finalizers = {{"a.example/x", 2}, {"b.example/y", 1}}},
                         "", kNow, &object);
  EXPECT_EQ(ConditionOf(object, "NamespaceContentRemaining").StringAt({"message"}),
            "Some resources are remaining: asyncresources.asyncops.dev has 2 resource instances, "
            "secrets. has 1 resource instances");
  EXPECT_EQ(ConditionOf(object, "NamespaceFinalizersRemaining").StringAt({"message"}),
            "Some content in the namespace has finalizers remaining: a.example/x in 2 resource "
            "instances, b.example/y in 1 resource instances");
}

TEST(NamespaceConditionsTest, TellsAFailure) {
  Json object = Json(JsonObject());
  SetNamespaceConditions({}, "the disk is full", kNow, &object);
  const Json failure = ConditionOf(object, "NamespaceDeletionContentFailure");
  EXPECT_EQ(failure.StringAt({"status"}), "True");
  EXPECT_EQ(failure.StringAt({"reason"}), "ContentDeletionFailed");
  EXPECT_EQ(failure.StringAt({"message"}),
            "Failed to delete all resource types, 1 remaining: the disk is full");
}

TEST(NamespaceConditionsTest, ATransitionTimeMovesWithItsStatusOnly) {
  Json object = Json(JsonObject());
  SetNamespaceConditions({.resources = {{"secrets", 2}}, .finalizers = {}}, "", kNow, &object);
  SetNamespaceConditions({.resources = {{"secrets", 1}}, .finalizers = {}}, "",
                         kNow + std::chrono::hours(1), &object);
  const auto time = [&object] {
    return std::string(
        ConditionOf(object, "NamespaceContentRemaining").StringAt({"lastTransitionTime"}));
  };
  EXPECT_EQ(time(), "2026-03-04T00:00:00Z");
  SetNamespaceConditions({}, "", kNow + std::chrono::hours(2), &object);
  EXPECT_EQ(time(), "2026-03-04T02:00:00Z");
}

TEST(NamespaceConditionsTest, KeepsConditionsOfOthers) {
  Json object =
      *ParseJson(R"({"status":{"conditions":[{"type":"Mine","status":"True","reason":"R",)"
                 R"("message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  SetNamespaceConditions({}, "", kNow, &object);
  EXPECT_EQ(ConditionOf(object, "Mine").StringAt({"reason"}), "R");
  EXPECT_EQ(object.FindPath({"status", "conditions"})->as_array().size(), 4U);
}

}  // namespace
}  // namespace asyncops::controllers
