#include "api/fieldmanager/merge.h"

#include <gtest/gtest.h>

#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

TEST(MergeConfigurationTest, MergesByTheSchema) {
  struct Row {
    const char* reason;
    const char* object;
    const char* configuration;
    std::string merged;
  };
  const Row table[] = {
      {"nothing applied changes nothing", "{'name':'a'}", "{}", "{'name':'a'}"},
      {"a new field", "{'name':'a'}", "{'size':1}", "{'name':'a','size':1}"},
      {"another value", "{'name':'a'}", "{'name':'b'}", "{'name':'b'}"},
      {"objects by member", "{'nested':{'first':'a'}}", "{'nested':{'second':'b'}}",
       "{'nested':{'first':'a','second':'b'}}"},
      {"maps by key", "{'limits':{'a':'1','b':'2'}}", "{'limits':{'b':'3','c':'4'}}",
       "{'limits':{'a':'1','b':'3','c':'4'}}"},
      {"atomic lists as a whole", "{'command':['a','b']}", "{'command':['c']}",
       "{'command':['c']}"},
      {"also by an empty one", "{'command':['a']}", "{'command':[]}", "{'command':[]}"},
      {"sets by value", "{'tags':['a','b']}", "{'tags':['c','b']}", "{'tags':['a','c','b']}"},
      {"an empty set takes nothing away", "{'tags':['a']}", "{'tags':[]}", "{'tags':['a']}"},
      {"an empty map takes nothing away", "{'limits':{'a':'1'}}", "{'limits':{}}",
       "{'limits':{'a':'1'}}"},
      {"null takes nothing away from a map", "{'limits':{'a':'1'}}", "{'limits':null}",
       "{'limits':{'a':'1'}}"},
      {"null empties a scalar", "{'name':'a'}", "{'name':null}", "{'name':null}"},
      {"items by key, their members by the schema",
       "{'steps':[{'name':'a','args':['x'],'limits':{'m':'1'}}]}",
       "{'steps':[{'name':'a','args':['y'],'limits':{'n':'2'}}]}",
       "{'steps':[{'args':['y'],'limits':{'m':'1','n':'2'},'name':'a'}]}"},
      {"a map list into nothing", "{}", "{'steps':[{'name':'a'}]}", "{'steps':[{'name':'a'}]}"},
      {"free-form objects by member", "{'parameters':{'a':{'b':1}}}",
       "{'parameters':{'a':{'c':2}}}", "{'parameters':{'a':{'b':1,'c':2}}}"},
      {"free-form lists as a whole", "{'parameters':{'a':[1,2]}}", "{'parameters':{'a':[3]}}",
       "{'parameters':{'a':[3]}}"},
      {"a free-form value of another type", "{'parameters':{'a':{'b':1}}}",
       "{'parameters':{'a':5}}", "{'parameters':{'a':5}}"},
      {"and back", "{'parameters':{'a':5}}", "{'parameters':{'a':{'b':1}}}",
       "{'parameters':{'a':{'b':1}}}"},
      {"a value of the wrong type is for validation to refuse", "{'limits':{'a':'1'}}",
       "{'limits':'x'}", "{'limits':'x'}"},
      {"a list of items without keys, too", "{'steps':[{'name':'a'}]}", "{'steps':[{}]}",
       "{'steps':[{}]}"},
  };
  for (const Row& row : table) {
    Json object = Gadget(row.object);
    MergeConfiguration(GadgetSchema(), Gadget(row.configuration), &object);
    EXPECT_EQ(Text(*object.Find("spec")), row.merged) << row.reason;
  }
}

TEST(MergeConfigurationTest, TakesTheConfigurationsOrder) {
  struct Row {
    const char* reason;
    const char* object;
    const char* configuration;
    std::string merged;
  };
  const Row table[] = {
      {"the same", "['a','b','c']", "['a','b','c']", "['a','b','c']"},
      {"reordered", "['a','b','c']", "['c','b','a']", "['c','b','a']"},
      {"others' items stay where they were", "['x','a','y','b','z']", "['a','b']",
       "['x','a','y','b','z']"},
      {"new ones before what they precede", "['a','b']", "['n','a','b']", "['n','a','b']"},
      {"new ones between", "['a','b']", "['a','n','b']", "['a','n','b']"},
      {"new ones at the end", "['a','b']", "['a','b','n']", "['a','b','n']"},
      {"new ones behind others' items", "['a','x']", "['a','n']", "['a','x','n']"},
      {"nothing in common", "['x','y']", "['a','b']", "['x','y','a','b']"},
      {"a repeated item counts once", "['a']", "['b','a','b']", "['b','a']"},
      {"others' repeated items stay", "['x','x','a']", "['a']", "['x','x','a']"},
      {"shared repeated items become one", "['a','x','a']", "['a']", "['a','x']"},
  };
  for (const Row& row : table) {
    Json object = Gadget("{}");
    object.Find("spec")->Set("tags", Value(row.object));
    Json configuration = Gadget("{}");
    configuration.Find("spec")->Set("tags", Value(row.configuration));
    MergeConfiguration(GadgetSchema(), configuration, &object);
    EXPECT_EQ(Text(*object.FindPath({"spec", "tags"})), row.merged) << row.reason;
  }
}

TEST(MergeConfigurationTest, MergesLongSetsInTime) {
  JsonArray present;
  JsonArray configured;
  for (int i = 0; i < 20000; ++i) {
    present.push_back(i);
    configured.push_back(39999 - i);
  }
  Json object = Gadget("{}");
  object.Find("spec")->Set("tags", std::move(present));
  Json configuration = Gadget("{}");
  configuration.Find("spec")->Set("tags", std::move(configured));
  MergeConfiguration(GadgetSchema(), configuration, &object);
  EXPECT_EQ(object.FindPath({"spec", "tags"})->as_array().size(), 40000u);
}

TEST(RemoveFieldsTest, TakesOutMembersWithAllBelow) {
  struct Row {
    const char* reason;
    const char* object;
    const char* fields;  // below spec
    std::string left;
  };
  const Row table[] = {
      {"nothing", "{'name':'a'}", "{}", "{'name':'a'}"},
      {"a leaf", "{'name':'a','size':1}", "{'f:name':{}}", "{'size':1}"},
      {"what is not there", "{'name':'a'}", "{'f:size':{},'f:nested':{'f:first':{}}}",
       "{'name':'a'}"},
      {"a member of an object", "{'nested':{'first':'a','second':'b'}}",
       "{'f:nested':{'f:first':{}}}", "{'nested':{'second':'b'}}"},
      {"an object that loses its last member goes", "{'name':'a','nested':{'first':'a'}}",
       "{'f:nested':{'f:first':{}}}", "{'name':'a'}"},
      {"an object with all that is in it", "{'name':'a','nested':{'first':'a','second':'b'}}",
       "{'f:nested':{'.':{},'f:first':{}}}", "{'name':'a'}"},
      {"values of a set", "{'tags':['a','b','c']}", R"({'f:tags':{'v:\"b\"':{}}})",
       "{'tags':['a','c']}"},
      {"an item", "{'steps':[{'name':'a'},{'name':'b'}]}",
       R"({'f:steps':{'k:{\"name\":\"a\"}':{}}})", "{'steps':[{'name':'b'}]}"},
      {"a member of an item", "{'steps':[{'name':'a','args':['x']}]}",
       R"({'f:steps':{'k:{\"name\":\"a\"}':{'f:args':{}}}})", "{'steps':[{'name':'a'}]}"},
      {"an atomic list has no parts to take out", "{'command':['a','b']}",
       "{'f:command':{'i:0':{}}}", "{'command':['a','b']}"},
      {"a key of a free-form field", "{'parameters':{'a':{'b':1,'c':2}}}",
       "{'f:parameters':{'f:a':{'f:b':{}}}}", "{'parameters':{'a':{'c':2}}}"},
      {"what was empty stays", "{'name':'a','limits':{}}", "{'f:limits':{'f:a':{}},'f:name':{}}",
       "{'limits':{}}"},
  };
  for (const Row& row : table) {
    Json object = Gadget(row.object);
    FieldSet set;
    set.Append({"f:spec", false, Fields(row.fields)});
    RemoveFields(GadgetSchema(), set, &object);
    EXPECT_EQ(Text(*object.Find("spec")), row.left) << row.reason;
  }
}

TEST(WithNamedFieldsTest, AddsFieldsThatTheSchemaNames) {
  struct Row {
    const char* reason;
    const char* fields;
    std::string named;
  };
  const Row table[] = {
      {"leaves stay", "{'f:status':{}}", "{'f:status':{}}"},
      {"an object of the schema", "{'f:spec':{'f:nested':{'f:first':{}}}}",
       "{'f:spec':{'.':{},'f:nested':{'.':{},'f:first':{}}}}"},
      {"a map, but not its keys", "{'f:spec':{'f:parameters':{'f:a':{'f:b':{}}}}}",
       "{'f:spec':{'.':{},'f:parameters':{'.':{},'f:a':{'f:b':{}}}}}"},
      {"metadata is there for the server", "{'f:metadata':{'f:labels':{'f:a':{}}}}",
       "{'f:metadata':{'f:labels':{'.':{},'f:a':{}}}}"},
  };
  for (const Row& row : table)
    EXPECT_EQ(Text(WithNamedFields(GadgetSchema(), Fields(row.fields))), row.named) << row.reason;
}

}  // namespace
}  // namespace asyncops::fieldmanager
