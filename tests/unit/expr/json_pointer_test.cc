#include "api/expr/json_pointer.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace asyncops::expr {
namespace {

TEST(JsonPointerTest, FindsTheExamplesOfRfc6901) {
  const Json document = ParseJson(R"({
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
    " ": 7, "m~n": 8
  })")
                            .value();
  const std::pair<std::string_view, std::string_view> rows[] = {{"/foo", R"(["bar","baz"])"},
                                                                {"/foo/0", R"("bar")"},
                                                                {"/", "0"},
                                                                {"/a~1b", "1"},
                                                                {"/c%d", "2"},
                                                                {"/e^f", "3"},
                                                                {"/g|h", "4"},
                                                                {"/i\\j", "5"},
                                                                {"/k\"l", "6"},
                                                                {"/ ", "7"},
                                                                {"/m~0n", "8"}};
  for (const auto& [pointer, want] : rows) {
    const Json* found = JsonPointer::Parse(pointer)->Find(document);
    ASSERT_NE(found, nullptr) << pointer;
    EXPECT_EQ(EncodeJson(*found), want) << pointer;
  }
  EXPECT_EQ(JsonPointer::Parse("")->Find(document), &document);
}

TEST(JsonPointerTest, FindsNothingWhereAStepIsMissing) {
  const Json document = ParseJson(R"({"list": [1, 2], "text": "t", "null": null})").value();
  for (const std::string_view pointer :
       {"/list/2", "/list/-", "/list/01", "/list/-1", "/list/x", "/list/", "/text/0", "/null/a",
        "/absent", "/absent/x", "/list/99999999999999999999", "//list"}) {
    EXPECT_EQ(JsonPointer::Parse(pointer)->Find(document), nullptr) << pointer;
  }
}

TEST(JsonPointerTest, RefusesWhatIsNoPointer) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"a/b", "col 1: a JSON Pointer starts with '/'"},
      {"/a~2", "col 3: '~' in a JSON Pointer is written '~0' (and '/' in a name '~1')"},
      {"/a~", "col 3: '~' in a JSON Pointer is written '~0' (and '/' in a name '~1')"}};
  for (const auto& [pointer, want] : rows) {
    EXPECT_EQ(JsonPointer::Parse(pointer).status().message(), want) << pointer;
  }
  const std::string deep(static_cast<std::size_t>(kMaxJsonDepth) + 1, '/');
  EXPECT_EQ(JsonPointer::Parse(deep).status().message(), "col 65: more than 64 steps");
}

TEST(JsonPointerTest, SetMakesTheObjectsOnTheWay) {
  struct Row {
    std::string_view before;
    std::string_view pointer;
    std::string_view after;
    std::string_view reason;
  };
  const Row rows[] = {
      {"{}", "/requestId", R"({"requestId":"v"})", "a member"},
      {R"({"a":1})", "/a", R"({"a":"v"})", "replaces"},
      {"null", "/a/b", R"({"a":{"b":"v"}})", "objects from nothing"},
      {R"({"a":null})", "/a/b", R"({"a":{"b":"v"}})", "null counts as missing"},
      {R"({"a":[1,2]})", "/a/1", R"({"a":[1,"v"]})", "an element"},
      {R"({"a":[1]})", "/a/-", R"({"a":[1,"v"]})", "appends"},
      {"{}", "", R"("v")", "the whole document"},
  };
  for (const Row& row : rows) {
    Json document = ParseJson(row.before).value();
    EXPECT_TRUE(JsonPointer::Parse(row.pointer)->Set(&document, "v").ok()) << row.reason;
    EXPECT_EQ(EncodeJson(document), row.after) << row.reason;
  }
}

TEST(JsonPointerTest, SetRefusesAStepThatIsNoPlace) {
  for (const std::string_view pointer : {"/list/2", "/list/x", "/text/a"}) {
    Json document = ParseJson(R"({"list": [1, 2], "text": "t"})").value();
    const Status status = JsonPointer::Parse(pointer)->Set(&document, "v");
    EXPECT_EQ(status.reason(), Reason::kBadRequest) << pointer;
    EXPECT_TRUE(status.message().starts_with("step 2 of the JSON Pointer")) << status.message();
  }
}

}  // namespace
}  // namespace asyncops::expr
