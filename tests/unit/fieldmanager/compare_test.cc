#include "api/fieldmanager/compare.h"

#include <gtest/gtest.h>

#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

TEST(AppliedFieldsTest, AreLeavesKeysAndItems) {
  struct Row {
    const char* reason;
    const char* spec;
    std::string fields;  // below spec
  };
  const Row table[] = {
      {"scalars are leaves", "{'name':'a','size':1}", "{'f:name':{},'f:size':{}}"},
      {"null is applied, too", "{'name':null}", "{'f:name':{}}"},
      {"an object that the schema names is there for its members", "{'nested':{'first':'a'}}",
       "{'f:nested':{'f:first':{}}}"},
      {"unless it is empty", "{'nested':{}}", "{'f:nested':{}}"},
      {"or null", "{'nested':null}", "{'f:nested':{}}"},
      {"keys of maps are members", "{'limits':{'cpu':'1','memory':'2'}}",
       "{'f:limits':{'f:cpu':{},'f:memory':{}}}"},
      {"an atomic list is one leaf", "{'command':['a','b']}", "{'f:command':{}}"},
      {"as is an empty one", "{'command':[]}", "{'f:command':{}}"},
      {"a set is owned by value", "{'tags':['b','a']}",
       R"({'f:tags':{'v:\"a\"':{},'v:\"b\"':{}}})"},
      {"an empty set is nobody's", "{'tags':[]}", "{}"},
      {"items of a map list are members, and what is in them",
       "{'steps':[{'name':'a','args':['x'],'limits':{'cpu':'1'}}]}",
       R"({'f:steps':{'k:{\"name\":\"a\"}':{'.':{},'f:args':{},'f:limits':{'f:cpu':{}},)"
       R"('f:name':{}}}})"},
      {"by all their keys", "{'ports':[{'name':'a','protocol':'UDP'}]}",
       R"({'f:ports':{'k:{\"name\":\"a\",\"protocol\":\"UDP\"}':{'.':{},'f:name':{},)"
       R"('f:protocol':{}}}})"},
      {"a list with an item that cannot be told from others is one leaf",
       "{'ports':[{'name':'a','protocol':'UDP'},{'name':'b'}]}", "{'f:ports':{}}"},
      {"free-form objects are maps all the way down", "{'parameters':{'a':{'b':{'c':1}}}}",
       "{'f:parameters':{'f:a':{'.':{},'f:b':{'.':{},'f:c':{}}}}}"},
      {"free-form lists are atomic", "{'parameters':{'a':[{'b':1}]}}",
       "{'f:parameters':{'f:a':{}}}"},
      {"free-form scalars are leaves", "{'parameters':5}", "{'f:parameters':{}}"},
      {"a value of the wrong type is one leaf", "{'limits':['a'],'nested':'x','tags':{'a':1}}",
       "{'f:limits':{},'f:nested':{},'f:tags':{}}"},
  };
  for (const Row& row : table) {
    const std::string expected = row.fields == "{}" ? "{}" : "{'f:spec':" + row.fields + "}";
    EXPECT_EQ(AppliedFields(GadgetScope(), Gadget(row.spec)).Encode(), Value(expected))
        << row.reason;
  }
}

TEST(AppliedFieldsTest, NeverHoldWhatNamesTheObjectOrTheServerSets) {
  const Json object = Value(
      "{'apiVersion':'test/v1','kind':'Gadget','metadata':{'name':'g','namespace':'n','uid':'u',"
      "'creationTimestamp':null,'selfLink':'x','generation':3,'resourceVersion':'7',"
      "'managedFields':[],'generateName':'g-','labels':{'a':'b'},'finalizers':['x/y'],"
      "'ownerReferences':[{'uid':'1','name':'o'}]},'status':{'phase':'Up'}}");
  EXPECT_EQ(EncodeJson(AppliedFields(GadgetScope(), object).Encode()),
            R"({"f:metadata":{"f:finalizers":{"v:\"x/y\"":{}},"f:generateName":{},)"
            R"("f:labels":{"f:a":{}},)"
            R"("f:ownerReferences":{"k:{\"uid\":\"1\"}":{".":{},"f:name":{},"f:uid":{}}}}})");
  EXPECT_EQ(Text(AppliedFields(StatusScope(), object)), "{'f:status':{'f:phase':{}}}");
}

TEST(AppliedFieldsTest, EndWhereTheStoredSetCouldNotBeRead) {
  Json value = 1;
  for (int i = 0; i < kMaxJsonDepth - 4; ++i) value = Json::Of({{"a", std::move(value)}});
  Json object = Gadget("{}");
  object.Find("spec")->Set("parameters", std::move(value));
  ASSERT_TRUE(ParseJson(EncodeJson(object)).ok());
  TrackUpdate(GadgetScope(), ManagerAt("m"), nullptr, &object);
  EXPECT_TRUE(ParseJson(EncodeJson(object)).ok());
}

struct Row {
  const char* reason;
  const char* before;
  const char* after;
  std::string added;
  std::string modified;
  std::string removed;
};

void ExpectComparison(const Row& row, const char* before, const char* after,
                      const std::string& added, const std::string& removed) {
  const Json old_object = Gadget(before);
  const Comparison found = Compare(GadgetScope(), &old_object, Gadget(after));
  const auto below = [](const FieldSet& set) {
    const FieldNode* spec = set.Find("f:spec");
    return spec == nullptr ? "" : EncodeJson(spec->below.Encode());
  };
  EXPECT_EQ(below(found.added), added) << row.reason;
  EXPECT_EQ(below(found.modified), row.modified) << row.reason;
  EXPECT_EQ(below(found.removed), removed) << row.reason;
  EXPECT_EQ(found.empty(), added.empty() && row.modified.empty() && removed.empty()) << row.reason;
}

TEST(CompareTest, FindsWhatIsAddedModifiedAndRemoved) {
  const Row table[] = {
      {"nothing differs", "{'name':'a','tags':['x']}", "{'name':'a','tags':['x']}", "", "", ""},
      {"another value", "{'name':'a'}", "{'name':'b'}", "", R"({"f:name":{}})", ""},
      {"a new field", "{}", "{'name':'b'}", R"({"f:name":{}})", "", ""},
      {"a new object counts with what is in it", "{}", "{'nested':{'first':'a'}}",
       R"({"f:nested":{".":{},"f:first":{}}})", "", ""},
      {"a member of an object that was there", "{'nested':{'second':'b'}}",
       "{'nested':{'first':'a','second':'b'}}", R"({"f:nested":{"f:first":{}}})", "", ""},
      {"an object that was empty", "{'nested':{}}", "{'nested':{'first':'a'}}",
       R"({"f:nested":{"f:first":{}}})", "", ""},
      {"an empty object is a field", "{}", "{'nested':{}}", R"({"f:nested":{}})", "", ""},
      {"an atomic list as a whole", "{'command':['a']}", "{'command':['a','b']}", "",
       R"({"f:command":{}})", ""},
      {"the order in an atomic list", "{'command':['a','b']}", "{'command':['b','a']}", "",
       R"({"f:command":{}})", ""},
      {"a value of a set", "{'tags':['a']}", "{'tags':['b','a']}", R"({"f:tags":{"v:\"b\"":{}}})",
       "", ""},
      {"the order of a set means nothing", "{'tags':['a','b']}", "{'tags':['b','a']}", "", "", ""},
      {"a set that was empty", "{'tags':[]}", "{'tags':['a']}", R"({"f:tags":{"v:\"a\"":{}}})", "",
       ""},
      {"a repeated value", "{'tags':['a','b']}", "{'tags':['a','b','a']}", "",
       R"({"f:tags":{"v:\"a\"":{}}})", ""},
      {"a member of an item", "{'steps':[{'name':'a','args':['x']}]}",
       "{'steps':[{'name':'a','args':['y']}]}", "",
       R"({"f:steps":{"k:{\"name\":\"a\"}":{"f:args":{}}}})", ""},
      {"a new item", "{'steps':[{'name':'a'}]}", "{'steps':[{'name':'b'},{'name':'a'}]}",
       R"({"f:steps":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})", "", ""},
      {"a key of a map", "{'limits':{'a':'1'}}", "{'limits':{'a':'1','b':'2'}}",
       R"({"f:limits":{"f:b":{}}})", "", ""},
      {"a value deep in a free-form field", "{'parameters':{'a':{'b':1,'c':2}}}",
       "{'parameters':{'a':{'b':1,'c':3}}}", "", R"({"f:parameters":{"f:a":{"f:c":{}}}})", ""},
      {"a scalar that becomes an object", "{'parameters':{'a':1}}", "{'parameters':{'a':{'b':1}}}",
       R"({"f:parameters":{"f:a":{"f:b":{}}}})", R"({"f:parameters":{"f:a":{}}})", ""},
      {"null is a value of a free-form field", "{'parameters':{'a':null}}",
       "{'parameters':{'a':1}}", "", R"({"f:parameters":{"f:a":{}}})", ""},
  };
  for (const Row& row : table) {
    ExpectComparison(row, row.before, row.after, row.added, row.removed);
    // What one way adds the other way removes.
    ExpectComparison(row, row.after, row.before, row.removed, row.added);
  }
}

TEST(CompareTest, ComparesEachPartOnItsOwnEndpoint) {
  Json old_object = Gadget("{'name':'a'}");
  Json new_object = Gadget("{'name':'b'}");
  new_object.Set("status", Value("{'phase':'Up'}"));
  EXPECT_EQ(Text(Compare(GadgetScope(), &old_object, new_object).modified),
            "{'f:spec':{'f:name':{}}}");
  EXPECT_TRUE(Compare(GadgetScope(), &old_object, new_object).added.empty());
  const Comparison status = Compare(StatusScope(), &old_object, new_object);
  EXPECT_EQ(Text(status.added), "{'f:status':{'.':{},'f:phase':{}}}");
  EXPECT_TRUE(status.modified.empty());
}

TEST(CompareTest, ANewObjectIsAddedWithAllItsFields) {
  Json object = Gadget("{'limits':{'a':'1'}}");
  object.ObjectAt("metadata").Set("labels", Value("{'x':'y'}"));
  EXPECT_EQ(Text(Compare(GadgetScope(), nullptr, object).added),
            "{'f:metadata':{'f:labels':{'.':{},'f:x':{}}},"
            "'f:spec':{'.':{},'f:limits':{'.':{},'f:a':{}}}}");
}

}  // namespace
}  // namespace asyncops::fieldmanager
