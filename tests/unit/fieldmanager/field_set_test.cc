#include "api/fieldmanager/field_set.h"

#include <gtest/gtest.h>

#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

FieldSet Union(FieldSet a, const FieldSet& b) {
  a.Add(b);
  return a;
}

FieldSet Difference(FieldSet a, const FieldSet& b) {
  a.Remove(b);
  return a;
}

TEST(FieldSetTest, HasExactlyWhatWasInserted) {
  FieldSet set;
  EXPECT_TRUE(set.empty());
  set.Insert({"f:a", "f:b"});
  set.Insert({"f:a", "f:b", "f:c"});
  set.Insert({"f:d"});
  EXPECT_EQ(set.size(), 3u);
  EXPECT_TRUE(set.Has({"f:a", "f:b"}));
  EXPECT_TRUE(set.Has({"f:a", "f:b", "f:c"}));
  EXPECT_TRUE(set.Has({"f:d"}));
  EXPECT_FALSE(set.Has({"f:a"})) << "a parent is no member for its children";
  EXPECT_FALSE(set.Has({"f:d", "f:e"})) << "a child is no member for its parent";
  EXPECT_FALSE(set.Has({})) << "nobody owns the whole object";
  set.Insert({});
  EXPECT_EQ(set.size(), 3u);
}

TEST(FieldSetTest, ListsPathsInOrder) {
  const FieldSet set = {{"f:b"}, {"f:a", "f:z"}, {"f:a"}, {"f:a", "f:b"}};
  const std::vector<Path> paths = {{"f:a"}, {"f:a", "f:b"}, {"f:a", "f:z"}, {"f:b"}};
  EXPECT_EQ(set.Paths(), paths);
}

TEST(FieldSetTest, EncodesAsFieldsV1) {
  struct Row {
    const char* reason;
    FieldSet set;
    std::string text;
  };
  const Row table[] = {
      {"the empty set", {}, "{}"},
      {"a leaf", {{"f:a"}}, "{'f:a':{}}"},
      {"a child alone: its parent is no member", {{"f:a", "f:b"}}, "{'f:a':{'f:b':{}}}"},
      {"a parent with a child", {{"f:a"}, {"f:a", "f:b"}}, "{'f:a':{'.':{},'f:b':{}}}"},
      {"the order of insertion does not matter",
       {{"f:c"}, {"f:a"}, {"f:b", "f:z"}, {"f:b", "f:y"}},
       "{'f:a':{},'f:b':{'f:y':{},'f:z':{}},'f:c':{}}"},
      {"elements of lists",
       {{"f:l", "i:0"}, {"f:l", "v:5"}, {"f:l", "v:true"}},
       "{'f:l':{'i:0':{},'v:5':{},'v:true':{}}}"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(Text(row.set), row.text) << row.reason;
    EXPECT_EQ(Fields(row.text), row.set) << row.reason;
  }
}

TEST(FieldSetTest, DecodesWhatOthersEncoded) {
  struct Row {
    const char* reason;
    std::string json;
    std::string canonical;
  };
  const Row table[] = {
      {"keys come in any order and spacing", R"({"f:l":{"k:{\"b\":1, \"a\":2}":{}}})",
       R"({"f:l":{"k:{\"a\":2,\"b\":1}":{}}})"},
      {"two spellings of one element are one",
       R"({"f:l":{"v:\"\\u0061\"":{"f:x":{}},"v:\"a\"":{".":{},"f:y":{}}}})",
       R"({"f:l":{"v:\"a\"":{".":{},"f:x":{},"f:y":{}}}})"},
      {"canonical keys take their place in the order",
       R"({"f:l":{"v:\"\\u007a\"":{},"v:\"b\"":{}}})", R"({"f:l":{"v:\"b\"":{},"v:\"z\"":{}}})"},
      {"unknown elements go with all below", R"({"f:a":{"q:new":{"f:b":{}},"f:c":{}}})",
       R"({"f:a":{"f:c":{}}})"},
      {"a dot alone is a member", R"({"f:a":{".":{}}})", R"({"f:a":{}})"},
      {"the object itself is nobody's", R"({".":{},"f:a":{}})", R"({"f:a":{}})"},
  };
  for (const Row& row : table) {
    const Result<FieldSet> set = FieldSet::Decode(*ParseJson(row.json));
    ASSERT_TRUE(set.ok()) << row.reason << set.status().ToString();
    EXPECT_EQ(EncodeJson(set->Encode()), row.canonical) << row.reason;
  }
}

TEST(FieldSetTest, RefusesToDecodeWhatIsNoTree) {
  for (const char* text : {"[]", "'f:a'", "null", "{'f:a':true}", "{'f:a':{'f:b':[]}}",
                           "{'f:a':{'k:x':{}}}", "{'i:x':{}}"})
    EXPECT_EQ(FieldSet::Decode(Value(text)).status().reason(), Reason::kBadRequest) << text;
}

TEST(FieldSetTest, AlgebraGoesByExactPaths) {
  struct Row {
    const char* reason;
    const char* a;
    const char* b;
    std::string both;    // union
    std::string shared;  // intersection
    std::string rest;    // a without b
  };
  const Row table[] = {
      {"nothing with nothing", "{}", "{}", "{}", "{}", "{}"},
      {"with nothing", "{'f:a':{}}", "{}", "{'f:a':{}}", "{}", "{'f:a':{}}"},
      {"nothing with something", "{}", "{'f:a':{}}", "{'f:a':{}}", "{}", "{}"},
      {"the same", "{'f:a':{'f:b':{}}}", "{'f:a':{'f:b':{}}}", "{'f:a':{'f:b':{}}}",
       "{'f:a':{'f:b':{}}}", "{}"},
      {"apart", "{'f:a':{},'f:c':{}}", "{'f:b':{},'f:d':{}}",
       "{'f:a':{},'f:b':{},'f:c':{},'f:d':{}}", "{}", "{'f:a':{},'f:c':{}}"},
      {"overlapping", "{'f:a':{},'f:b':{}}", "{'f:b':{},'f:c':{}}", "{'f:a':{},'f:b':{},'f:c':{}}",
       "{'f:b':{}}", "{'f:a':{}}"},
      {"a parent is not its child", "{'f:a':{}}", "{'f:a':{'f:b':{}}}", "{'f:a':{'.':{},'f:b':{}}}",
       "{}", "{'f:a':{}}"},
      {"a child is not its parent", "{'f:a':{'f:b':{}}}", "{'f:a':{}}", "{'f:a':{'.':{},'f:b':{}}}",
       "{}", "{'f:a':{'f:b':{}}}"},
      {"siblings below a shared parent", "{'f:a':{'.':{},'f:b':{},'f:c':{}}}",
       "{'f:a':{'.':{},'f:c':{},'f:d':{}}}", "{'f:a':{'.':{},'f:b':{},'f:c':{},'f:d':{}}}",
       "{'f:a':{'.':{},'f:c':{}}}", "{'f:a':{'f:b':{}}}"},
      {"nodes without members go", "{'f:a':{'f:b':{'f:c':{}}},'f:d':{}}",
       "{'f:a':{'f:b':{'f:c':{}}}}", "{'f:a':{'f:b':{'f:c':{}}},'f:d':{}}",
       "{'f:a':{'f:b':{'f:c':{}}}}", "{'f:d':{}}"},
  };
  for (const Row& row : table) {
    const FieldSet a = Fields(row.a);
    const FieldSet b = Fields(row.b);
    EXPECT_EQ(Text(Union(a, b)), row.both) << row.reason;
    EXPECT_EQ(Text(Union(b, a)), row.both) << row.reason;
    EXPECT_EQ(Text(a.Intersection(b)), row.shared) << row.reason;
    EXPECT_EQ(Text(b.Intersection(a)), row.shared) << row.reason;
    EXPECT_EQ(Text(Difference(a, b)), row.rest) << row.reason;
    EXPECT_EQ(Difference(Union(a, b), Difference(b, a)), a) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::fieldmanager
