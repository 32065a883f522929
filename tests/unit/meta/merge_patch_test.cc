#include <gtest/gtest.h>

#include "api/meta/patch.h"

namespace asyncops {
namespace {

Json Parse(std::string_view text) {
  const Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().ToString();
  return json.ok() ? *json : Json();
}

// The table of RFC 7386, appendix A, where the patch is an object.
TEST(MergePatchTest, Rfc7386Examples) {
  struct Row {
    const char* document;
    const char* patch;
    const char* result;
  };
  const Row rows[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"e":null})", R"({"a":1})", R"({"a":1,"e":null})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
      {R"({"a":1})", R"({})", R"({"a":1})"},
  };
  for (const Row& row : rows) {
    const Result<Json> result = ApplyMergePatch(Parse(row.document), Parse(row.patch));
    ASSERT_TRUE(result.ok()) << row.patch;
    EXPECT_EQ(EncodeJson(*result), row.result) << row.document << " + " << row.patch;
  }
}

TEST(MergePatchTest, PatchThatIsNoObjectIsABadRequest) {
  for (const char* patch : {"[1]", "\"x\"", "null", "1"}) {
    const Result<Json> result = ApplyMergePatch(Parse("{}"), Parse(patch));
    ASSERT_FALSE(result.ok()) << patch;
    EXPECT_EQ(result.status().reason(), Reason::kBadRequest) << patch;
  }
}

}  // namespace
}  // namespace asyncops
