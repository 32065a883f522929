#include <gtest/gtest.h>

#include "api/fieldmanager/updater.h"
#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

Json Made(const Json* old_object, std::string_view spec, std::string_view status,
          const FieldManager& manager) {
  Json out = old_object == nullptr ? Gadget("{}") : *old_object;
  out.Set("spec", Value(spec));
  out.Set("status", Value(status));
  TrackWholeUpdate(GadgetSchema(), manager, old_object, &out);
  return out;
}

// The same by the two endpoints, one after the other.
Json ByEndpoints(const Json& old_object, const Json& made, FieldManager manager) {
  Json out = old_object;
  for (const std::string_view part : {"metadata", "spec"}) out.Set(part, *made.Find(part));
  out.ObjectAt("metadata")
      .Set("managedFields", *old_object.FindPath({"metadata", "managedFields"}));
  TrackUpdate(GadgetScope(), manager, &old_object, &out);
  const Json before = out;
  out.Set("status", *made.Find("status"));
  manager.subresource = "status";
  TrackUpdate(StatusScope(), manager, &before, &out);
  return out;
}

TEST(TrackWholeUpdateTest, WhatIsMadeIsOwnedThroughBothEndpoints) {
  EXPECT_EQ(Owners(Made(nullptr, "{'name':'a'}", "{'phase':'Up'}", ManagerAt("engine"))),
            "engine Update@00 {'f:spec':{'.':{},'f:name':{}}}\n"
            "engine Update/status@00 {'f:status':{'.':{},'f:phase':{}}}\n");
}

TEST(TrackWholeUpdateTest, AnObjectWithoutOwnersStaysSo) {
  const Json object = Gadget("{'name':'a'}");
  EXPECT_EQ(Owners(Made(&object, "{'name':'b'}", "{'phase':'Up'}", ManagerAt("engine"))), "");
}

TEST(TrackWholeUpdateTest, OnlyTheEndpointOfWhatChangedHasANewTime) {
  const Json object = Made(nullptr, "{'name':'a'}", "{'phase':'Up'}", ManagerAt("engine"));
  const Json written = Made(&object, "{'name':'a'}", "{'phase':'Down'}", ManagerAt("engine", 7));
  EXPECT_EQ(Owners(written),
            "engine Update@00 {'f:spec':{'.':{},'f:name':{}}}\n"
            "engine Update/status@07 {'f:status':{'.':{},'f:phase':{}}}\n");
  EXPECT_EQ(Made(&written, "{'name':'a'}", "{'phase':'Down'}", ManagerAt("engine", 9)), written)
      << "a write of nothing";
}

TEST(TrackWholeUpdateTest, SaysTheSameAsTheEndpointsDo) {
  Json object = Made(nullptr, "{'name':'a','size':1}", "{'phase':'Up'}", ManagerAt("engine"));
  const struct {
    const char* reason;
    const char* manager;
    const char* spec;
    const char* status;
  } table[] = {
      {"a value again", "engine", "{'name':'a','size':1}", "{'phase':'Down'}"},
      {"a field more", "engine", "{'name':'a','size':1}", "{'phase':'Down','since':'now'}"},
      {"the same fields again", "engine", "{'name':'a','size':1}", "{'phase':'Up','since':'x'}"},
      {"somebody else's write", "human", "{'name':'b','size':1}", "{'phase':'Odd','since':'x'}"},
      {"and it is taken back", "engine", "{'name':'b','size':1}", "{'phase':'Up','since':'x'}"},
      {"a field less", "engine", "{'name':'b'}", "{'phase':'Up'}"},
      {"a field less and one again", "engine", "{'name':'c'}", "{'phase':'Down'}"},
      {"no status", "engine", "{'name':'c'}", "{}"},
      {"a status again", "engine", "{'name':'c','size':3}", "{'phase':'Up'}"},
  };
  int second = 1;
  for (const auto& row : table) {
    const FieldManager manager = ManagerAt(row.manager, second++);
    const Json made = Made(&object, row.spec, row.status, manager);
    EXPECT_EQ(made, ByEndpoints(object, made, manager)) << row.reason;
    object = made;
  }
}

}  // namespace
}  // namespace asyncops::fieldmanager
