#include <future>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

struct ChangeTest : testing::Test {
  ChangeTest() {
    EXPECT_EQ(api.Send("POST", kOperations, EncodeJson(OperationObject("o"))).status, 201);
  }
  Result<WriteResult> Change(Registry::ChangeFunction change, bool dry_run = false) {
    std::promise<Result<WriteResult>> done;
    api.registry().Change(operations, "team-a", "o", "retry",
                          {.dry_run = dry_run, .field_manager = "clicker"}, std::move(change),
                          [&done](Result<WriteResult> result) { done.set_value(result); });
    return done.get_future().get();
  }
  static Json Annotated(Json object, std::string_view value) {
    object.ObjectAt("metadata").Set("annotations", Json::Of({{"a", value}}));
    return object;
  }
  std::string Stored(std::initializer_list<std::string_view> path) {
    return api.Get(At(kOperations, "o")).Text(path);
  }
  ApiHarness api;
  const ResourceInfo& operations = *FindResource("operations.asyncops.dev", "asyncoperations");
};

TEST_F(ChangeTest, StoresWhatTheFunctionMakes) {
  const Result<WriteResult> result =
      Change([](Json present) -> Result<Json> { return Annotated(std::move(present), "b"); });
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_FALSE(result->created);
  EXPECT_EQ(Stored({"metadata", "annotations", "a"}), "b");
  EXPECT_EQ(Stored({"metadata", "generation"}), "1");
}

TEST_F(ChangeTest, IsOwnedByTheClientThroughTheSubresource) {
  ASSERT_TRUE(
      Change([](Json present) -> Result<Json> { return Annotated(std::move(present), "b"); }).ok());
  const Json object = api.Get(At(kOperations, "o")).json();
  const JsonArray& list = object.FindPath({"metadata", "managedFields"})->as_array();
  ASSERT_EQ(list.size(), 2u);
  const Json& entry = list.front();
  EXPECT_EQ(entry.StringAt({"manager"}), "clicker");
  EXPECT_EQ(entry.StringAt({"operation"}), "Update");
  EXPECT_EQ(entry.StringAt({"subresource"}), "retry");
  EXPECT_EQ(EncodeJson(*entry.Find("fieldsV1")),
            R"({"f:metadata":{"f:annotations":{".":{},"f:a":{}}}})");
}

TEST_F(ChangeTest, KeepsNothingOfADryRunNorOfNoChange) {
  const std::string version = Stored({"metadata", "resourceVersion"});
  EXPECT_TRUE(
      Change([](Json present) -> Result<Json> { return Annotated(present, "b"); }, true).ok());
  EXPECT_TRUE(Change([](Json present) -> Result<Json> { return present; }).ok());
  EXPECT_EQ(Stored({"metadata", "resourceVersion"}), version);
}

TEST_F(ChangeTest, IsComputedAgainWhereSomebodyWasFaster) {
  int calls = 0;
  const Result<WriteResult> result = Change([this, &calls](Json present) -> Result<Json> {
    if (++calls == 1) {
      EXPECT_EQ(
          api.Patch(At(kOperations, "o"), R"({"metadata":{"labels":{"who":"faster"}}})").status,
          200);
    }
    return Annotated(std::move(present), "b");
  });
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(Stored({"metadata", "labels", "who"}), "faster");
  EXPECT_EQ(Stored({"metadata", "annotations", "a"}), "b");
}

TEST_F(ChangeTest, AnswersWhatTheFunctionRefuses) {
  const Status refused =
      Change([](const Json& /*present*/) -> Result<Json> { return BadRequest("not so"); }).status();
  EXPECT_EQ(refused.message(), "not so");
  int calls = 0;
  const Status late = Change([this, &calls](Json present) -> Result<Json> {
                        if (++calls == 2) return BadRequest("not any more");
                        api.Patch(At(kOperations, "o"), R"({"metadata":{"labels":{"x":"y"}}})");
                        return Annotated(std::move(present), "b");
                      }).status();
  EXPECT_EQ(late.message(), "not any more") << "also where it is said inside the transaction";
}

TEST_F(ChangeTest, ValidatesTheOutcome) {
  const Status invalid = Change([](Json present) -> Result<Json> {
                           present.ObjectAt("metadata").Set("labels", Json::Of({{"a b", "c"}}));
                           return present;
                         }).status();
  EXPECT_EQ(invalid.reason(), Reason::kInvalid);
}

}  // namespace
}  // namespace asyncops::apiserver
