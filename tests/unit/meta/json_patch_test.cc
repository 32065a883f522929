#include <gtest/gtest.h>

#include "api/meta/patch.h"
#include "base/limits.h"

namespace asyncops {
namespace {

Json Parse(std::string_view text) {
  const Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().ToString();
  return json.ok() ? *json : Json();
}

struct Row {
  const char* document;
  const char* patch;
  const char* result;
  const char* reason;
};

void ExpectResults(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Result<Json> result = ApplyJsonPatch(Parse(row.document), Parse(row.patch));
    ASSERT_TRUE(result.ok()) << row.reason << ": " << result.status().ToString();
    EXPECT_EQ(EncodeJson(*result), row.result) << row.reason;
  }
}

TEST(JsonPatchTest, Rfc6902Examples) {
  ExpectResults({
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
       R"({"baz":"qux","foo":"bar"})", "A.1 add a member"},
      {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
       R"({"foo":["bar","qux","baz"]})", "A.2 add an element"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})",
       "A.3 remove a member"},
      {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
       R"({"foo":["bar","baz"]})", "A.4 remove an element"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
       R"({"baz":"boo","foo":"bar"})", "A.5 replace"},
      {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
       R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
       R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})", "A.6 move a value"},
      {R"({"foo":["all","grass","cows","eat"]})",
       R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
       R"({"foo":["all","cows","eat","grass"]})", "A.7 move an element"},
      {R"({"baz":"qux","foo":["a",2,"c"]})",
       R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
       R"({"baz":"qux","foo":["a",2,"c"]})", "A.8 test"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
       R"({"child":{"grandchild":{}},"foo":"bar"})", "A.10 add a nested object"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])",
       R"({"baz":"qux","foo":"bar"})", "A.11 ignore unknown members"},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])", R"({"/":9,"~1":10})",
       "A.14 escapes"},
      {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
       R"({"foo":["bar",["abc","def"]]})", "A.16 add at the end"},
  });
}

TEST(JsonPatchTest, EdgesThatThePatchOfAnObjectMeets) {
  ExpectResults({
      {"{}", "[]", "{}", "no operation"},
      {R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})", "add replaces"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":[1]}])", "[1]", "the whole document"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":{}}])", "{}", "the same by replace"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":null}])", R"({"a":1,"b":null})", "null"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})",
       "the index after the last"},
      {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"}])",
       R"({"a":{"b":1},"c":{"b":1}})", "copy"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/a"}])", R"({"a":1})",
       "move over its own parent"},
      {R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})", "move to itself"},
      {R"({"":1})", R"([{"op":"remove","path":"/"}])", "{}", "the member with no name"},
  });
}

TEST(JsonPatchTest, OperationThatCannotBeAppliedIsInvalidAndNamed) {
  const std::vector<Row> rows = {
      {R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])",
       R"(JSON patch operation 0 (test "/baz"): the value there is another)", "A.9 failed test"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])",
       R"(JSON patch operation 0 (add "/baz/bat"): the parent of the path does not exist)",
       "A.12 add to nothing"},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])",
       R"(JSON patch operation 0 (test "/~01"): the value there is another)",
       "A.15 strings are no numbers"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"}])",
       R"(JSON patch operation 1 (remove "/c"): the path does not exist)", "the second one"},
      {"{}", R"([{"op":"replace","path":"/c","value":1}])",
       R"(JSON patch operation 0 (replace "/c"): the path does not exist)", "replace nothing"},
      {"{}", R"([{"op":"test","path":"/c","value":null}])",
       R"(JSON patch operation 0 (test "/c"): the path does not exist)", "absent is not null"},
      {"{}", R"([{"op":"remove","path":""}])",
       R"(JSON patch operation 0 (remove ""): the whole document cannot be removed)", "root"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":1}])",
       R"(JSON patch operation 0 (add "/a/2"): "2" is no index of the list or its end)",
       "beyond the end"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-1","value":1}])",
       R"(JSON patch operation 0 (add "/a/-1"): "-1" is no index of the list or its end)",
       "negative"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/01","value":1}])",
       R"(JSON patch operation 0 (add "/a/01"): "01" is no index of the list or its end)",
       "leading zero"},
      {R"({"a":[]})", R"([{"op":"remove","path":"/a/0"}])",
       R"(JSON patch operation 0 (remove "/a/0"): the path does not exist)", "empty list"},
      {R"({"a":[1]})", R"([{"op":"remove","path":"/a/-"}])",
       R"(JSON patch operation 0 (remove "/a/-"): the path does not exist)", "- is no element"},
      {R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])",
       R"(JSON patch operation 0 (add "/a/b"): the parent of the path is no object or list)",
       "inside a number"},
      {R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])",
       R"(JSON patch operation 0 (move "/a/b"): a value cannot be moved into itself)",
       "into itself"},
      {"{}", R"([{"op":"copy","from":"/a","path":"/b"}])",
       R"(JSON patch operation 0 (copy "/b"): the path of "from" does not exist)", "from nothing"},
  };
  for (const Row& row : rows) {
    const Result<Json> result = ApplyJsonPatch(Parse(row.document), Parse(row.patch));
    ASSERT_FALSE(result.ok()) << row.reason;
    EXPECT_EQ(result.status(), Status(Reason::kInvalid, row.result)) << row.reason;
  }
}

TEST(JsonPatchTest, WhatIsNoPatchIsABadRequest) {
  for (const char* patch :
       {"{}", "null", "[1]", R"([{"path":"/a"}])", R"([{"op":"add","path":"/a"}])",
        R"([{"op":"add","value":1}])", R"([{"op":"add","path":"a","value":1}])",
        R"([{"op":"add","path":"/~2","value":1}])", R"([{"op":"move","path":"/a"}])",
        R"([{"op":"merge","path":"/a","value":1}])", R"([{"op":1,"path":"/a"}])"}) {
    const Result<Json> result = ApplyJsonPatch(Parse(R"({"a":1})"), Parse(patch));
    ASSERT_FALSE(result.ok()) << patch;
    EXPECT_EQ(result.status().reason(), Reason::kBadRequest) << patch;
  }
}

TEST(JsonPatchTest, TooManyOperationsAreTooLarge) {
  const Json test = Parse(R"({"op":"test","path":"","value":{}})");
  EXPECT_TRUE(ApplyJsonPatch(Parse("{}"), JsonArray(kMaxJsonPatchOperations, test)).ok());
  const Result<Json> result =
      ApplyJsonPatch(Parse("{}"), JsonArray(kMaxJsonPatchOperations + 1, test));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status(), Status(Reason::kRequestEntityTooLarge,
                                    "Request entity too large: The allowed maximum operations in a "
                                    "JSON patch is 10000, got 10001"));
}

TEST(JsonPatchTest, CopiesMayNotGrowTheDocumentWithoutBound) {
  const Json document = Json::Of({{"a", std::string(1024 * 1024, 'x')}, {"l", JsonArray()}});
  const Json copy = Parse(R"({"op":"copy","from":"/a","path":"/l/-"})");
  EXPECT_TRUE(ApplyJsonPatch(document, JsonArray(2, copy)).ok());
  const Result<Json> result = ApplyJsonPatch(document, JsonArray(3, copy));
  ASSERT_FALSE(result.ok()) << "3 MiB and the quotes";
  EXPECT_EQ(result.status().reason(), Reason::kRequestEntityTooLarge);
}

TEST(JsonPatchTest, CopiesMayNotNestTheDocumentWithoutBound) {
  const Json copy = Parse(R"({"op":"copy","from":"","path":"/a"})");
  const Result<Json> result = ApplyJsonPatch(Parse(R"({"a":{}})"), JsonArray(100, copy));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().reason(), Reason::kInvalid);
  EXPECT_NE(result.status().message().find("nest deeper than 64"), std::string::npos);
}

TEST(JsonPatchTest, WorkOnLongListsIsBounded) {
  const Json document = Json::Of({{"l", JsonArray(200000, 0)}});
  const Json move = Parse(R"({"op":"move","from":"/l/0","path":"/l/-"})");
  const Result<Json> result = ApplyJsonPatch(document, JsonArray(kMaxJsonPatchOperations, move));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().reason(), Reason::kRequestEntityTooLarge);
}

}  // namespace
}  // namespace asyncops
