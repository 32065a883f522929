#include "reconciler/cluster_patch.h"

#include <gtest/gtest.h>

#include "api/meta/patch.h"

namespace asyncops::reconciler {
namespace {

Json Parse(std::string_view text) { return *ParseJson(text); }

struct PatchCase {
  const char* reason;
  const char* before;
  const char* after;
  const char* patch;  // "" for none
};

TEST(ClusterPatchTest, APatchSaysWhatDiffersAndNoMore) {
  constexpr PatchCase kCases[] = {
      {"equal", R"({"a": 1, "b": [1]})", R"({"a": 1, "b": [1]})", ""},
      {"set", R"({})", R"({"a": {"b": 1}})", R"({"a":{"b":1}})"},
      {"nothing there", "null", R"({"a": 1})", R"({"a":1})"},
      {"changed inside", R"({"a": {"b": 1, "c": 2}})", R"({"a": {"b": 3, "c": 2}})",
       R"({"a":{"b":3}})"},
      {"gone", R"({"a": 1, "b": {"c": 1}})", R"({"b": {}})", R"({"a":null,"b":{"c":null}})"},
      {"lists whole", R"({"a": [1, 2]})", R"({"a": [2]})", R"({"a":[2]})"},
      {"another type", R"({"a": {"b": 1}})", R"({"a": "x"})", R"({"a":"x"})"},
      {"object of a list", R"({"a": [1]})", R"({"a": {"b": 1}})", R"({"a":{"b":1}})"},
      {"as Go writes it", R"({"a": 1, "b": [{"c": 2}]})", R"({"a": 1.0, "b": [{"c": 2.0}]})", ""},
      {"another number", R"({"a": 1})", R"({"a": 1.5})", R"({"a":1.5})"},
      {"a null is no member", R"({"a": {}})", R"({"a": {"b": null}})", ""},
      {"a null in what is new", R"({})", R"({"a": {"b": null, "c": 1}})", R"({"a":{"c":1}})"},
      {"a null in a list stays", R"({"a": [1]})", R"({"a": [null]})", R"({"a":[null]})"},
      {"null for a value", R"({"a": 1})", R"({"a": null})", R"({"a":null})"},
  };
  for (const PatchCase& one : kCases) {
    const std::optional<Json> patch = MergePatchOf(Parse(one.before), Parse(one.after));
    EXPECT_EQ(patch ? EncodeJson(*patch) : "", one.patch) << one.reason;
  }
}

TEST(ClusterPatchTest, AppliedItMakesTheOneOfTheOther) {
  const Json before = Parse(R"({"a": {"x": 1, "y": [1, {"z": 2}]}, "b": "s", "c": null})");
  const Json after = Parse(R"({"a": {"y": [{"z": null}], "w": {}}, "d": true})");
  const std::optional<Json> patch = MergePatchOf(before, after);
  ASSERT_TRUE(patch);
  const Result<Json> made = ApplyMergePatch(before, *patch);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(MergePatchOf(*made, after), std::nullopt) << EncodeJson(*made);
}

}  // namespace
}  // namespace asyncops::reconciler
