#include "controllers/object_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "storage/object_version.h"
#include "tests/unit/controllers/world.h"

namespace asyncops::controllers {
namespace {

storage::ObjectKey KeyOfSecret(std::string_view name) {
  return {.resource = "secrets", .namespace_name = "team", .name = std::string(name)};
}

Edit SetType(Json* object) {
  object->Set("type", "edited");
  return Edit::kUpdate;
}

TEST(ObjectEditTest, UpdatesRemovesAndKeeps) {
  World world;
  for (const char* name : {"keep", "remove", "update"}) world.Put(name);
  const storage::Revision before = world.store().revision();
  const auto edit = [](const storage::ObjectKey& key, Json* object) {
    if (key.name == "keep") return Edit::kKeep;
    return key.name == "remove" ? Edit::kRemove : SetType(object);
  };
  const Status status =
      EditObjects(world.store(), world.clock().Now(),
                  {KeyOfSecret("keep"), KeyOfSecret("remove"), KeyOfSecret("update")}, edit);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(world.Names(), testing::ElementsAre("keep", "update"));
  EXPECT_EQ(world.Get("update").StringAt({"type"}), "edited");
  EXPECT_EQ(world.store().revision(), before + 2);
}

TEST(ObjectEditTest, TheControllersOwnWhatTheyChange) {
  World world;
  Json secret = Make("secrets", "owned");
  secret.Set("type", "made");
  secret.ObjectAt("metadata").Set("managedFields", Parsed(R"([{"manager":"human",
      "operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",
      "fieldsV1":{"f:type":{}}}])"));
  world.PutObject("secrets", secret);
  world.Put("of-nobody");
  const auto edit = [](const storage::ObjectKey& /*key*/, Json* object) { return SetType(object); };
  ASSERT_TRUE(EditObjects(world.store(), world.clock().Now(),
                          {KeyOfSecret("owned"), KeyOfSecret("of-nobody")}, edit)
                  .ok());
  const Json written = world.Get("owned");
  const JsonArray& list = written.FindPath({"metadata", "managedFields"})->as_array();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list.front().StringAt({"manager"}), "asyncops-controllers");
  EXPECT_EQ(list.front().StringAt({"time"}), FormatTime(world.clock().Now()));
  EXPECT_EQ(EncodeJson(*list.front().Find("fieldsV1")), R"({"f:type":{}})");
  EXPECT_EQ(world.Get("of-nobody").FindPath({"metadata", "managedFields"}), nullptr);
}

TEST(ObjectEditTest, WhatIsGoneIsPassedOver) {
  World world;
  world.Put("there");
  int calls = 0;
  const auto edit = [&calls](const storage::ObjectKey& /*key*/, Json* object) {
    ++calls;
    return SetType(object);
  };
  EXPECT_TRUE(EditObjects(world.store(), world.clock().Now(),
                          {KeyOfSecret("nowhere"), KeyOfSecret("there")}, edit)
                  .ok());
  EXPECT_EQ(calls, 1);
}

TEST(ObjectEditTest, WhatIsDamagedIsPassedOver) {
  World world;
  world.PutDamaged("broken");
  world.Put("sound");
  const auto edit = [](const storage::ObjectKey& /*key*/, Json* object) { return SetType(object); };
  EXPECT_TRUE(EditObjects(world.store(), world.clock().Now(),
                          {KeyOfSecret("broken"), KeyOfSecret("sound")}, edit)
                  .ok());
  EXPECT_EQ(world.Get("sound").StringAt({"type"}), "edited");
}

TEST(ObjectEditTest, AWriteInBetweenIsEditedAgain) {
  World world;
  world.Put("contested");
  world.Put("other");
  std::vector<std::string> seen;
  const auto edit = [&world, &seen](const storage::ObjectKey& key, Json* object) {
    seen.push_back(key.name + ":" + std::string(object->StringAt({"type"})));
    if (key.name == "contested" && seen.size() == 1) {
      // Somebody else is faster.
      const Status theirs = EditObject(world.store(), world.clock().Now(), key,
                                       [](const storage::ObjectKey& /*key*/, Json* present) {
                                         present->Set("type", "theirs");
                                         return Edit::kUpdate;
                                       });
      EXPECT_TRUE(theirs.ok());
    }
    object->Set("immutable", true);
    return Edit::kUpdate;
  };
  EXPECT_TRUE(EditObjects(world.store(), world.clock().Now(),
                          {KeyOfSecret("contested"), KeyOfSecret("other")}, edit)
                  .ok());
  EXPECT_THAT(seen, testing::ElementsAre("contested:", "other:", "contested:theirs"));
  EXPECT_EQ(world.Get("contested").StringAt({"type"}), "theirs");
  EXPECT_NE(world.Get("contested").Find("immutable"), nullptr);
}

TEST(ObjectEditTest, AObjectThatSomebodyAlwaysWritesIsGivenUp) {
  World world;
  world.Put("contested");
  int count = 0;
  const auto edit = [&world, &count](const storage::ObjectKey& key, Json* object) {
    const int number = ++count;
    const auto theirs = [number](const storage::ObjectKey& /*key*/, Json* present) {
      present->Set("type", std::to_string(number));
      return Edit::kUpdate;
    };
    EXPECT_TRUE(EditObject(world.store(), world.clock().Now(), key, theirs).ok());
    return SetType(object);
  };
  EXPECT_EQ(EditObject(world.store(), world.clock().Now(), KeyOfSecret("contested"), edit).reason(),
            Reason::kConflict);
}

TEST(ObjectEditTest, MoreThanABatchIsDoneInSeveral) {
  World world;
  std::vector<storage::ObjectKey> keys;
  for (int i = 0; i < 2 * kEditBatch + 1; ++i) {
    world.Put("s" + std::to_string(i));
    keys.push_back(KeyOfSecret("s" + std::to_string(i)));
  }
  EXPECT_TRUE(
      EditObjects(world.store(), world.clock().Now(), keys,
                  [](const storage::ObjectKey& /*key*/, Json* /*object*/) { return Edit::kRemove; })
          .ok());
  EXPECT_THAT(world.Names(), testing::IsEmpty());
}

TEST(ObjectEditTest, KnowsResourcesByTheirNameInTheStore) {
  EXPECT_EQ(ResourceOf(KeyOfSecret("s"))->kind, "Secret");
  EXPECT_EQ(ResourceOf({"asyncresources.asyncops.dev", "a", "b"})->kind, "AsyncResource");
  EXPECT_EQ(ResourceOf({"things.example.com", "a", "b"}), nullptr);
  EXPECT_EQ(ResourceOf({"things", "a", "b"}), nullptr);
}

}  // namespace
}  // namespace asyncops::controllers
