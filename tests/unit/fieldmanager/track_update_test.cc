#include <algorithm>
#include <gtest/gtest.h>

#include "api/fieldmanager/updater.h"
#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

// What a PUT of the spec makes of the object: the body leaves managedFields to the server.
Json Updated(const Json& object, std::string_view spec, const FieldManager& writer) {
  Json out = object;
  out.Set("spec", Value(spec));
  TrackUpdate(GadgetScope(), writer, &object, &out);
  return out;
}

Json Created(std::string_view spec, const FieldManager& writer) {
  Json out = Gadget(spec);
  TrackUpdate(GadgetScope(), writer, nullptr, &out);
  return out;
}

TEST(TrackUpdateTest, TheCreatorOwnsAllThatItSent) {
  const Json object = Created("{'name':'a','limits':{'x':'1'}}", ManagerAt("creator"));
  EXPECT_EQ(Owners(object),
            "creator Update@00 {'f:spec':{'.':{},'f:limits':{'.':{},'f:x':{}},'f:name':{}}}\n");
}

TEST(TrackUpdateTest, AWriterTakesWhatItChanges) {
  Json object = Created("{'name':'a','size':1}", ManagerAt("creator"));
  object = Updated(object, "{'name':'b','size':1,'tags':['x']}", ManagerAt("editor", 5));
  EXPECT_EQ(Owners(object),
            R"(creator Update@00 {'f:spec':{'.':{},'f:size':{}}}
editor Update@05 {'f:spec':{'f:name':{},'f:tags':{'.':{},'v:\'x\'':{}}}}
)");
}

TEST(TrackUpdateTest, ANoOpChangesNothing) {
  const Json object = Created("{'name':'a'}", ManagerAt("creator"));
  EXPECT_EQ(Updated(object, "{'name':'a'}", ManagerAt("editor", 5)), object);
  EXPECT_EQ(Updated(object, "{'name':'a'}", ManagerAt("creator", 5)), object);
}

TEST(TrackUpdateTest, TheTimeMovesWithWhatTheWriterTakes) {
  const Json object = Created("{'name':'a','size':1}", ManagerAt("m"));
  EXPECT_EQ(Owners(Updated(object, "{'name':'b','size':1}", ManagerAt("m", 7))),
            "m Update@07 {'f:spec':{'.':{},'f:name':{},'f:size':{}}}\n");
  EXPECT_EQ(Owners(Updated(object, "{'name':'a'}", ManagerAt("m", 7))),
            "m Update@00 {'f:spec':{'.':{},'f:name':{}}}\n")
      << "what is removed is taken by nobody";
}

TEST(TrackUpdateTest, WhatIsRemovedIsNobodys) {
  Json object = Created("{'name':'a'}", ManagerAt("creator"));
  object = Updated(object, "{'name':'a','size':1}", ManagerAt("editor", 1));
  object = Updated(object, "{'name':'a'}", ManagerAt("other", 2));
  EXPECT_EQ(Owners(object), "creator Update@00 {'f:spec':{'.':{},'f:name':{}}}\n")
      << "an owner of nothing goes";
}

TEST(TrackUpdateTest, TheStatusHasOwnersOfItsOwn) {
  const Json object = Created("{'name':'a'}", ManagerAt("m"));
  Json reported = object;
  reported.Set("status", Value("{'phase':'Up'}"));
  reported.Find("spec")->Set("name", "not through this endpoint");
  TrackUpdate(StatusScope(), ManagerAt("m", 3, "status"), &object, &reported);
  EXPECT_EQ(Owners(reported),
            "m Update@00 {'f:spec':{'.':{},'f:name':{}}}\n"
            "m Update/status@03 {'f:status':{'.':{},'f:phase':{}}}\n");
}

TEST(TrackUpdateTest, FieldsThatChangedUnseenAreTakenWithTheNextChange) {
  // A controller of this process wrote the size without naming itself.
  Json object = Created("{'name':'a','size':1}", ManagerAt("m"));
  object.Find("spec")->Set("size", 2);
  EXPECT_EQ(Owners(Updated(object, "{'name':'a','size':3}", ManagerAt("editor", 1))),
            "m Update@00 {'f:spec':{'.':{},'f:name':{}}}\n"
            "editor Update@01 {'f:spec':{'f:size':{}}}\n");
}

TEST(TrackUpdateTest, NamelessWritersAreUnknown) {
  EXPECT_EQ(Owners(Created("{}", ManagerAt(""))), "unknown Update@00 {'f:spec':{}}\n");
}

TEST(TrackUpdateTest, OwnersOfAnotherVersionGo) {
  Json object = Created("{'name':'a','size':1}", ManagerAt("m"));
  object.Find("metadata")->Find("managedFields")->as_array().front().Set("apiVersion", "test/v0");
  EXPECT_EQ(Owners(Updated(object, "{'name':'b','size':1}", ManagerAt("editor", 1))),
            "editor Update@01 {'f:spec':{'f:name':{}}}\n");
}

struct ListRow {
  const char* reason;
  const char* list;
  std::string owners;
};

// The object as a client sends it back with this list, and the name changed or not.
Json SentBack(const Json& object, const char* list, const char* name) {
  Json out = object;
  out.Find("spec")->Set("name", name);
  out.ObjectAt("metadata").Set("managedFields", Value(list));
  TrackUpdate(GadgetScope(), ManagerAt("editor", 5), &object, &out);
  return out;
}

TEST(TrackUpdateTest, TakesTheListThatAClientSends) {
  const Json object = Created("{'name':'a','size':1}", ManagerAt("m"));
  const std::string kept = Owners(object);
  const ListRow table[] = {
      {"another owner",
       "[{'manager':'x','operation':'Apply','apiVersion':'test/v1',"
       "'fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:name':{}}}}]",
       "x Apply {'f:spec':{'f:name':{}}}\n"},
      {"one empty entry forgets all", "[{}]", ""},
      {"an empty list is passed over", "[]", kept},
      {"null, too", "null", kept},
      {"and an operation that there is not",
       "[{'manager':'x','operation':'Own','apiVersion':'test/v1','fieldsType':'FieldsV1'}]", kept},
      {"and another format",
       "[{'manager':'x','operation':'Update','apiVersion':'test/v1','fieldsType':'FieldsV2'}]",
       kept},
      {"and a set that does not parse",
       "[{'manager':'x','operation':'Update','apiVersion':'test/v1','fieldsType':'FieldsV1',"
       "'fieldsV1':{'f:a':1}}]",
       kept},
      {"and an entry without a version",
       "[{'manager':'x','operation':'Update','fieldsType':'FieldsV1'}]", kept},
  };
  for (const ListRow& row : table)
    EXPECT_EQ(Owners(SentBack(object, row.list, "a")), row.owners) << row.reason;
}

TEST(TrackUpdateTest, AChangeIsTakenFromTheOwnersThatAClientSends) {
  const Json object = Created("{'name':'a','size':1}", ManagerAt("m"));
  EXPECT_EQ(Owners(SentBack(object,
                            "[{'manager':'x','operation':'Apply','apiVersion':'test/v1',"
                            "'fieldsType':'FieldsV1',"
                            "'fieldsV1':{'f:spec':{'f:name':{},'f:size':{}}}}]",
                            "b")),
            "x Apply {'f:spec':{'f:size':{}}}\neditor Update@05 {'f:spec':{'f:name':{}}}\n");
}

TEST(TrackUpdateTest, AnObjectWithoutOwnersStaysSo) {
  const Json object = Gadget("{'name':'a'}");
  EXPECT_EQ(Owners(Updated(object, "{'name':'b'}", ManagerAt("m"))), "");
  const Json forgotten = SentBack(Created("{'name':'a'}", ManagerAt("m")), "[{}]", "a");
  EXPECT_EQ(Owners(Updated(forgotten, "{'name':'b'}", ManagerAt("m"))), "");
}

TEST(TrackUpdateTest, TheStatusEndpointDoesNotTakeAList) {
  const Json object = Created("{'name':'a'}", ManagerAt("m"));
  Json out = object;
  out.ObjectAt("metadata").Set("managedFields", Value("[{}]"));
  TrackUpdate(StatusScope(), ManagerAt("m", 1, "status"), &object, &out);
  EXPECT_EQ(Owners(out), Owners(object));
}

TEST(TrackUpdateTest, TheOldestOfManyUpdatersAreOne) {
  Json object = Created("{}", ManagerAt("m00"));
  std::string limits;
  for (int i = 1; i <= 12; ++i) {
    const std::string two = (i < 10 ? "0" : "") + std::to_string(i);
    limits.append(limits.empty() ? "" : ",").append("'k" + two + "':'1'");
    object = Updated(object, "{'limits':{" + limits + "}}", ManagerAt("m" + two, i));
  }
  const std::string owners = Owners(object);
  EXPECT_EQ(std::count(owners.begin(), owners.end(), '\n'), 10);
  EXPECT_EQ(owners.substr(0, owners.find('\n')),
            "ancient-changes Update@03 {'f:spec':{'.':{},'f:limits':{'.':{},'f:k01':{},'f:k02':{},"
            "'f:k03':{}}}}");
  EXPECT_NE(owners.find("m04 Update@04 "), std::string::npos);
  EXPECT_NE(owners.find("m12 Update@12 "), std::string::npos);
}

}  // namespace
}  // namespace asyncops::fieldmanager
