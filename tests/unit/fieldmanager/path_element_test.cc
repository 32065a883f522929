#include "api/fieldmanager/path_element.h"

#include <gtest/gtest.h>

#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

const Schema& SpecList(std::string_view name) {
  return *GadgetSchema().Find("spec")->schema->Find(name)->schema;
}

TEST(PathElementTest, ParsesEachKindIntoItsCanonicalForm) {
  struct Row {
    const char* reason;
    std::string text;
    std::string element;
  };
  const Row table[] = {
      {"a member", "f:spec", "f:spec"},
      {"a member's name is any text", "f:a.b/c:d", "f:a.b/c:d"},
      {"the empty name is a name", "f:", "f:"},
      {"a key", R"(k:{"type":"Ready"})", R"(k:{"type":"Ready"})"},
      {"keys are sorted", R"(k:{"b":1,"a":"x"})", R"(k:{"a":"x","b":1})"},
      {"white space goes", R"(k:{ "a" : 1 })", R"(k:{"a":1})"},
      {"escapes are resolved", R"(v:"\u003ca\u003e")", R"(v:"<a>")"},
      {"a number as value", "v:5", "v:5"},
      {"a boolean as value", "v:true", "v:true"},
      {"an index", "i:12", "i:12"},
      {"an unknown kind is passed over", "x:y", ""},
      {"as is a text without a kind", "spec", ""},
      {"and the empty text", "", ""},
  };
  for (const Row& row : table) {
    const Result<PathElement> element = ParseElement(row.text);
    ASSERT_TRUE(element.ok()) << row.reason;
    EXPECT_EQ(*element, row.element) << row.reason;
  }
}

TEST(PathElementTest, RefusesWhatDoesNotParse) {
  struct Row {
    const char* reason;
    std::string text;
  };
  const Row table[] = {
      {"an index that is none", "i:x"},      {"a negative index", "i:-1"},
      {"an index with more behind", "i:1x"}, {"no index", "i:"},
      {"a key that is cut off", "k:{\"a\""}, {"a key that is no object", "k:5"},
      {"a key without fields", "k:{}"},      {"no value", "v:"},
      {"a value that is no JSON", "v:a b"},
  };
  for (const Row& row : table)
    EXPECT_EQ(ParseElement(row.text).status().reason(), Reason::kBadRequest) << row.reason;
}

TEST(PathElementTest, NamesItemsByKeysOrValue) {
  struct Row {
    const char* reason;
    const char* list;
    const char* item;
    std::string element;
  };
  const Row table[] = {
      {"one key", "steps", "{'name':'a','args':[]}", R"(k:{"name":"a"})"},
      {"several keys", "ports", "{'protocol':'TCP','name':'a'}",
       R"(k:{"name":"a","protocol":"TCP"})"},
      {"a string of a set", "tags", "'x'", R"(v:"x")"},
      {"a number of a set", "tags", "5", "v:5"},
      {"a missing key", "ports", "{'name':'a'}", ""},
      {"a key that is an object", "steps", "{'name':{}}", ""},
      {"a null key", "steps", "{'name':null}", ""},
      {"an item that is no object", "steps", "'a'", ""},
      {"an object in a set", "tags", "{}", ""},
      {"null in a set", "tags", "null", ""},
  };
  for (const Row& row : table)
    EXPECT_EQ(ItemElement(SpecList(row.list), Value(row.item)).value_or(""), row.element)
        << row.reason;
}

TEST(PathElementTest, FormatsPathsForPeople) {
  EXPECT_EQ(FormatPath({"f:spec", "f:size"}), ".spec.size");
  EXPECT_EQ(FormatPath({"f:metadata", "f:annotations", "f:a.b/c"}), ".metadata.annotations.a.b/c");
  EXPECT_EQ(FormatPath({"f:ports", R"(k:{"name":"a","number":5})", "f:protocol"}),
            R"(.ports[name="a",number=5].protocol)");
  EXPECT_EQ(FormatPath({"f:tags", R"(v:"x")"}), R"(.tags[="x"])");
  EXPECT_EQ(FormatPath({"f:command", "i:3"}), ".command[3]");
}

}  // namespace
}  // namespace asyncops::fieldmanager
