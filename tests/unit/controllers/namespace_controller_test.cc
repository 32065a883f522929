#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controllers/world.h"

namespace asyncops::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct NamespaceControllerTest : testing::Test {
  NamespaceControllerTest() { world.PutObject("namespaces", Namespace()); }

  static Json Namespace() {
    Json object = Make("namespaces", "team");
    object.Set("spec", Parsed(R"({"finalizers":["kubernetes"]})"));
    object.Set("status", Parsed(R"({"phase":"Active"})"));
    return object;
  }
  static Json Held(std::string_view plural, std::string_view name) {
    Json object = Make(plural, name);
    object.ObjectAt("metadata").Set("finalizers", JsonArray{"a.example/x"});
    return object;
  }
  bool IsThere() const { return !world.Get("namespaces", "team").is_null(); }
  // "STATUS REASON MESSAGE" of that condition; "" where it is not there.
  std::string ConditionOf(std::string_view type) const {
    const Json object = world.Get("namespaces", "team");
    const Json* conditions = object.FindPath({"status", "conditions"});
    if (conditions == nullptr) return "";
    for (const Json& condition : conditions->as_array()) {
      if (condition.StringAt({"type"}) != type) continue;
      return std::string(condition.StringAt({"status"})) + " " +
             std::string(condition.StringAt({"reason"})) + " " +
             std::string(condition.StringAt({"message"}));
    }
    return "";
  }
  World world;
};

TEST_F(NamespaceControllerTest, WhatIsInItGoesThenTheNamespace) {
  world.PutObject("asyncresources", Make("asyncresources", "volume"));
  world.PutObject("asyncoperations", Make("asyncoperations", "volume-create"));
  world.PutObject("externalsystems", Make("externalsystems", "cloud"));
  world.PutObject("events", Make("events", "e"));
  world.Put("secret");
  world.Run();
  ASSERT_TRUE(IsThere());
  world.Delete("namespaces", "team");
  ASSERT_TRUE(IsThere());
  world.Run();
  EXPECT_FALSE(IsThere());
  for (const char* plural :
       {"asyncresources", "asyncoperations", "externalsystems", "events", "secrets"})
    EXPECT_THAT(world.Names(plural), IsEmpty()) << plural;
}

TEST_F(NamespaceControllerTest, AnEmptyOneGoesAtOnce) {
  world.Delete("namespaces", "team");
  world.Run();
  EXPECT_FALSE(IsThere());
}

TEST_F(NamespaceControllerTest, OtherNamespacesKeepWhatIsTheirs) {
  Json elsewhere = Make("secrets", "s");
  elsewhere.ObjectAt("metadata").Set("namespace", "team-b");
  world.PutObject("secrets", elsewhere);
  world.Delete("namespaces", "team");
  world.Run();
  EXPECT_TRUE(world.store().Get({"secrets", "team-b", "s"}).ok());
}

TEST_F(NamespaceControllerTest, ADeletionOutsideKeepsWhatItNeeds) {
  world.PutObject("asyncresources", Held("asyncresources", "volume"));
  world.PutObject("asyncoperations", Make("asyncoperations", "volume-delete"));
  world.PutObject("externalsystems", Make("externalsystems", "cloud"));
  world.Put("token");
  world.Delete("namespaces", "team");
  world.Run();
  EXPECT_TRUE(IsUnderDeletion(world.Get("asyncresources", "volume")));
  EXPECT_FALSE(IsUnderDeletion(world.Get("asyncoperations", "volume-delete")));
  EXPECT_THAT(world.Names("externalsystems"), ElementsAre("cloud"));
  EXPECT_THAT(world.Names(), ElementsAre("token"));
  world.Release("asyncresources", "volume", "a.example/x");
  world.Run();
  EXPECT_FALSE(IsThere());
  EXPECT_THAT(world.Names(), IsEmpty());
}

TEST_F(NamespaceControllerTest, ItsStatusSaysWhatIsLeft) {
  world.PutObject("asyncresources", Held("asyncresources", "a"));
  world.PutObject("asyncresources", Held("asyncresources", "b"));
  world.Delete("namespaces", "team");
  world.Run();
  EXPECT_EQ(ConditionOf("NamespaceContentRemaining"),
            "True SomeResourcesRemain Some resources are remaining: asyncresources.asyncops.dev "
            "has 2 resource instances");
  EXPECT_EQ(ConditionOf("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain Some content in the namespace has finalizers remaining: "
            "a.example/x in 2 resource instances");
  EXPECT_EQ(ConditionOf("NamespaceDeletionContentFailure"),
            "False ContentDeleted All content successfully deleted, may be waiting on "
            "finalization");
  world.Release("asyncresources", "a", "a.example/x");
  world.clock().Advance(std::chrono::seconds(6));
  world.Run();
  EXPECT_THAT(ConditionOf("NamespaceContentRemaining"), testing::HasSubstr("has 1 resource"));
}

TEST_F(NamespaceControllerTest, AStatusThatSaysTheSameIsNotWrittenAgain) {
  world.PutObject("asyncresources", Held("asyncresources", "a"));
  world.Delete("namespaces", "team");
  world.Run();
  const storage::Revision before = world.store().revision();
  for (int i = 0; i < 3; ++i) {
    world.clock().Advance(std::chrono::seconds(6));
    world.Run();
  }
  EXPECT_EQ(world.store().revision(), before);
}

TEST_F(NamespaceControllerTest, WhatIsMadeMeanwhileGoesToo) {
  world.PutObject("asyncresources", Held("asyncresources", "a"));
  world.Delete("namespaces", "team");
  world.Run();
  // The engine writes past the API server's check.
  world.PutObject("asyncresources", Make("asyncresources", "b"));
  world.clock().Advance(std::chrono::seconds(6));
  world.Run();
  EXPECT_THAT(world.Names("asyncresources"), ElementsAre("a"));
}

TEST_F(NamespaceControllerTest, AFinalizerOfItsOwnHoldsItEmpty) {
  Json object = Namespace();
  object.ObjectAt("metadata").Set("name", "other");
  object.ObjectAt("metadata").Set("finalizers", JsonArray{"a.example/x"});
  world.PutObject("namespaces", object);
  world.Delete("namespaces", "other");
  world.Run();
  const Json held = world.Get("namespaces", "other");
  EXPECT_EQ(EncodeJson(*held.FindPath({"spec", "finalizers"})), "[]");
  EXPECT_EQ(held.StringAt({"status", "phase"}), "Terminating");
  world.Release("namespaces", "other", "a.example/x");
  world.Run();
  EXPECT_TRUE(world.Get("namespaces", "other").is_null());
}

TEST_F(NamespaceControllerTest, ASuccessorKeepsItsContent) {
  world.Delete("namespaces", "team");
  world.Run();
  ASSERT_FALSE(IsThere());
  world.PutObject("namespaces", Namespace());
  world.Put("secret");
  world.PutObject("events", Make("events", "e"));
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("secret"));
  EXPECT_THAT(world.Names("events"), ElementsAre("e"));
}

TEST_F(NamespaceControllerTest, MoreThanAPageGoes) {
  for (int i = 0; i < 1100; ++i) world.Put("s" + std::to_string(i));
  world.Delete("namespaces", "team");
  world.Run();
  EXPECT_FALSE(IsThere());
  EXPECT_THAT(world.Names(), IsEmpty());
}

TEST_F(NamespaceControllerTest, AnyStepMayBeTheLastOfAServer) {
  for (int steps = 0; steps < 12; ++steps) {
    World at;
    at.PutObject("namespaces", Namespace());
    at.PutObject("asyncresources", Make("asyncresources", "volume"));
    at.Put("secret");
    at.PutObject("events", Make("events", "e"));
    at.Delete("namespaces", "team");
    at.Step(steps);
    at.Restart();
    at.Run();
    EXPECT_TRUE(at.Get("namespaces", "team").is_null()) << steps;
    EXPECT_THAT(at.Names(), IsEmpty()) << steps;
    EXPECT_THAT(at.Names("asyncresources"), IsEmpty()) << steps;
    EXPECT_THAT(at.Names("events"), IsEmpty()) << steps;
  }
}

}  // namespace
}  // namespace asyncops::controllers
