#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controllers/world.h"

namespace asyncops::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct GarbageCollectorTest : testing::Test {
  std::string Owners(std::string_view name) {
    std::string text;
    const Json object = world.Get(name);
    const Json* references = object.FindPath({"metadata", "ownerReferences"});
    if (references == nullptr) return text;
    for (const Json& reference : references->as_array())
      text += std::string(reference.StringAt({"name"})) + " ";
    return text;
  }
  World world;
};

TEST_F(GarbageCollectorTest, DependentsGoAfterTheirOwner) {
  world.Put("owner");
  world.Put("a", {"owner"});
  world.Put("b", {"owner!"});
  world.Put("grandchild", {"a"});
  world.Put("stranger");
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("a", "b", "grandchild", "owner", "stranger"));
  world.Delete("owner", Propagation::kBackground);
  EXPECT_FALSE(world.Has("owner"));
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("stranger"));
}

TEST_F(GarbageCollectorTest, ADependentThatIsHeldIsUnderDeletion) {
  world.Put("owner");
  world.Put("held", {"owner"}, {"a.example/x"});
  world.Put("grandchild", {"held"});
  world.Delete("owner");
  world.Run();
  EXPECT_TRUE(IsUnderDeletion(world.Get("held")));
  EXPECT_TRUE(world.Has("grandchild"));
  world.Release("secrets", "held", "a.example/x");
  world.Run();
  EXPECT_THAT(world.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OnlyTheReferenceGoesWhereAnOwnerIsLeft) {
  world.Put("one");
  world.Put("two");
  world.Put("shared", {"one", "two"});
  world.Delete("one");
  world.Run();
  EXPECT_EQ(Owners("shared"), "two ");
  world.Delete("two");
  world.Run();
  EXPECT_FALSE(world.Has("shared"));
}

TEST_F(GarbageCollectorTest, AnOwnerThatNeverWasIsAbsent) {
  world.Put("orphaned-at-birth", {"nobody"});
  world.Run();
  EXPECT_FALSE(world.Has("orphaned-at-birth"));
}

TEST_F(GarbageCollectorTest, ASuccessorOfTheSameNameIsNoOwner) {
  world.Put("owner");
  Json child = Make("secrets", "child");
  Json reference = Reference("secrets", "owner", false);
  reference.Set("uid", "uid-of-an-earlier-one");
  child.ObjectAt("metadata").Set("ownerReferences", JsonArray{std::move(reference)});
  world.PutObject("secrets", child);
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("owner"));
}

TEST_F(GarbageCollectorTest, AnOwnerIsOfTheSameNamespace) {
  Json elsewhere = Make("secrets", "owner");
  elsewhere.ObjectAt("metadata").Set("namespace", "other");
  world.PutObject("secrets", elsewhere);
  world.Put("child", {"owner"});
  world.Run();
  EXPECT_FALSE(world.Has("child")) << "the owner is in another namespace";
  const storage::ObjectKey key{.resource = "secrets", .namespace_name = "other", .name = "owner"};
  EXPECT_TRUE(world.store().Get(key).ok());
}

TEST_F(GarbageCollectorTest, WhatNobodyCanJudgeStays) {
  Json foreign = Make("secrets", "of-a-deployment");
  foreign.ObjectAt("metadata")
      .Set("ownerReferences",
           Parsed(R"([{"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"u"}])"));
  world.PutObject("secrets", foreign);
  Json space = Make("namespaces", "cluster-scoped");
  space.ObjectAt("metadata")
      .Set("ownerReferences", JsonArray{Reference("secrets", "nobody", false)});
  world.PutObject("namespaces", space);
  world.Run();
  EXPECT_TRUE(world.Has("of-a-deployment")) << "its kind is not served";
  EXPECT_FALSE(world.Get("namespaces", "cluster-scoped").is_null())
      << "it cannot have a namespaced owner";
}

TEST_F(GarbageCollectorTest, ACreatorOfManyTakesThemAlong) {
  constexpr int kMany = 1100;  // more than two pages
  world.Put("owner");
  for (int i = 0; i < kMany; ++i) world.Put("child-" + std::to_string(i), {"owner"});
  world.Run();
  EXPECT_EQ(world.Names().size(), kMany + 1U);
  world.Delete("owner");
  world.Run();
  EXPECT_THAT(world.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, InTheForegroundTheOwnerGoesLast) {
  world.Put("owner");
  world.Put("blocking", {"owner!"}, {"a.example/x"});
  world.Put("other", {"owner"}, {"a.example/x"});
  world.Delete("owner", Propagation::kForeground);
  world.Run();
  EXPECT_TRUE(IsUnderDeletion(world.Get("owner")));
  EXPECT_TRUE(HasFinalizer(world.Get("owner"), kForegroundFinalizer));
  EXPECT_TRUE(IsUnderDeletion(world.Get("blocking")));
  EXPECT_TRUE(IsUnderDeletion(world.Get("other")));
  world.Release("secrets", "blocking", "a.example/x");
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("other")) << "it blocks nothing";
}

TEST_F(GarbageCollectorTest, InTheForegroundGrandchildrenGoFirst) {
  world.Put("owner");
  world.Put("child", {"owner!"});
  world.Put("grandchild", {"child!"}, {"a.example/x"});
  world.Delete("owner", Propagation::kForeground);
  world.Run();
  EXPECT_TRUE(HasFinalizer(world.Get("child"), kForegroundFinalizer));
  EXPECT_THAT(world.Names(), ElementsAre("child", "grandchild", "owner"));
  world.Release("secrets", "grandchild", "a.example/x");
  world.Run();
  EXPECT_THAT(world.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, InTheForegroundACircleComesToAnEnd) {
  world.Put("a", {"b!"});
  world.Put("b", {"a!"});
  world.Run();
  ASSERT_THAT(world.Names(), ElementsAre("a", "b")) << "both owners stand";
  world.Delete("a", Propagation::kForeground);
  world.Run();
  EXPECT_THAT(world.Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, InTheForegroundWhatOwnsItselfGoes) {
  world.Put("me", {"me!"});
  world.Run();
  world.Delete("me", Propagation::kForeground);
  world.Run();
  EXPECT_FALSE(world.Has("me"));
}

TEST_F(GarbageCollectorTest, InTheForegroundASharedDependentStays) {
  world.Put("one");
  world.Put("two");
  world.Put("shared", {"one!", "two"});
  world.Delete("one", Propagation::kForeground);
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("shared", "two"));
  EXPECT_EQ(Owners("shared"), "two ");
}

TEST_F(GarbageCollectorTest, InTheForegroundADependentThatIsLetGoUnblocks) {
  world.Put("owner");
  world.Put("child", {"owner!"}, {"a.example/x"});
  world.Delete("owner", Propagation::kForeground);
  world.Run();
  ASSERT_TRUE(world.Has("owner"));
  const storage::ObjectKey key{.resource = "secrets", .namespace_name = "team", .name = "child"};
  const auto let_go = [](const storage::ObjectKey& /*key*/, Json* object) {
    object->ObjectAt("metadata").Erase("ownerReferences");
    return Edit::kUpdate;
  };
  ASSERT_TRUE(EditObject(world.store(), world.clock().Now(), key, let_go).ok());
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("child"));
}

TEST_F(GarbageCollectorTest, AnAsyncResourceFinishesOutsideBeforeItsOperationsGo) {
  Json resource = Make("asyncresources", "volume");
  resource.ObjectAt("metadata").Set("finalizers", JsonArray{"asyncops.dev/external"});
  world.PutObject("asyncresources", resource);
  Json operation = Make("asyncoperations", "volume-create");
  operation.ObjectAt("metadata")
      .Set("ownerReferences", JsonArray{Reference("asyncresources", "volume", true)});
  world.PutObject("asyncoperations", operation);
  world.Delete("asyncresources", "volume", Propagation::kForeground);
  world.Run();
  EXPECT_THAT(world.Names("asyncoperations"), ElementsAre("volume-create"));
  world.Release("asyncresources", "volume", "asyncops.dev/external");
  world.Run();
  EXPECT_THAT(world.Names("asyncoperations"), IsEmpty());
  EXPECT_THAT(world.Names("asyncresources"), IsEmpty());
}

TEST_F(GarbageCollectorTest, NoOwnerWaitsForDependentsThatAreDamaged) {
  for (const Propagation policy : {Propagation::kOrphan, Propagation::kForeground}) {
    world.Put("owner");
    world.PutDamaged("broken-" + std::to_string(static_cast<int>(policy)), {"owner!"});
    world.Put("sound-" + std::to_string(static_cast<int>(policy)), {"owner!"});
    world.Delete("owner", policy);
    world.Run();
    EXPECT_FALSE(world.Has("owner"));
    world.Restart();
  }
}

TEST_F(GarbageCollectorTest, OrphansForgetTheirOwner) {
  world.Put("owner");
  world.Put("other");
  world.Put("a", {"owner!"});
  world.Put("b", {"owner", "other"});
  world.Delete("owner", Propagation::kOrphan);
  EXPECT_TRUE(world.Has("owner"));
  world.Run();
  EXPECT_THAT(world.Names(), ElementsAre("a", "b", "other"));
  EXPECT_EQ(Owners("a"), "");
  EXPECT_EQ(Owners("b"), "other ");
}

TEST_F(GarbageCollectorTest, AnOrphanFinalizerOfALivingObjectMeansNothingYet) {
  world.Put("owner", {}, {"orphan"});
  world.Put("child", {"owner"});
  world.Run();
  EXPECT_EQ(Owners("child"), "owner ");
}

TEST_F(GarbageCollectorTest, AClusterScopedOwnerIsKnownInEveryNamespace) {
  world.PutObject("namespaces", Make("namespaces", "cluster-scoped"));
  Json child = Make("secrets", "child");
  child.ObjectAt("metadata")
      .Set("ownerReferences", JsonArray{Reference("namespaces", "cluster-scoped", false)});
  world.PutObject("secrets", child);
  world.Run();
  EXPECT_TRUE(world.Has("child"));
  world.Delete("namespaces", "cluster-scoped");
  world.Run();
  EXPECT_FALSE(world.Has("child"));
}

struct Interruption {
  std::string_view reason;
  std::function<void(World&)> before;
  std::vector<std::string> left;
};

TEST_F(GarbageCollectorTest, WhatAKilledServerLeftIsFinishedByTheNext) {
  const std::vector<Interruption> table = {
      {"killed after the owner went",
       [](World& at) {
         at.Put("owner");
         at.Put("child", {"owner"});
         at.Delete("owner");
       },
       {}},
      {"killed before the first dependent of a foreground deletion",
       [](World& at) {
         at.Put("owner");
         at.Put("child", {"owner!"});
         at.Delete("owner", Propagation::kForeground);
       },
       {}},
      {"killed when the last dependent was gone",
       [](World& at) {
         at.Put("owner");
         at.Delete("owner", Propagation::kForeground);
       },
       {}},
      {"killed before orphaning",
       [](World& at) {
         at.Put("owner");
         at.Put("child", {"owner"});
         at.Delete("owner", Propagation::kOrphan);
       },
       {"child"}},
  };
  for (const Interruption& row : table) {
    World at;
    row.before(at);
    at.Restart();
    at.Run();
    EXPECT_EQ(at.Names(), row.left) << row.reason;
  }
}

// What does not fit into the queues is found by a scan.
TEST_F(GarbageCollectorTest, FindsMoreThanItsQueuesHold) {
  World at;
  at.Restart({.collector_queue = 2});
  at.Run();
  for (int i = 0; i < 9; ++i) {
    const std::string number = std::to_string(i);
    at.Put("gone-" + number);
    at.Put("waits-" + number, {}, {"a.example/x"});
    at.Put("of-gone-" + number, {"gone-" + number});
    at.Put("of-waits-" + number, {"waits-" + number + "!"});
    at.Put("late-" + number, {"never-was"});
  }
  at.Put("stays");
  for (int i = 0; i < 9; ++i) {
    at.Delete("gone-" + std::to_string(i));
    at.Delete("waits-" + std::to_string(i), Propagation::kForeground);
  }
  at.Run();
  for (int i = 0; i < 9; ++i) at.Release("secrets", "waits-" + std::to_string(i), "a.example/x");
  at.Run();
  EXPECT_THAT(at.Names(), ElementsAre("stays"));
}

TEST_F(GarbageCollectorTest, AnyStepMayBeTheLastOfAServer) {
  for (int steps = 0; steps < 12; ++steps) {
    World at;
    at.Put("owner");
    at.Put("child", {"owner!"});
    at.Put("grandchild", {"child!"});
    at.Put("shared", {"owner", "stays"});
    at.Put("stays");
    at.Run();
    at.Delete("owner", Propagation::kForeground);
    at.Step(steps);
    at.Restart();
    at.Run();
    EXPECT_THAT(at.Names(), ElementsAre("shared", "stays")) << steps;
  }
}

}  // namespace
}  // namespace asyncops::controllers
