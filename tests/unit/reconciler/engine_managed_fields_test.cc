// Whose the engine's writes are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/object_watch.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

using testing::ElementsAre;

// "MANAGER[/SUBRESOURCE]" of each entry.
std::vector<std::string> Managers(const Json& object) {
  std::vector<std::string> managers;
  const Json* list = object.FindPath({"metadata", "managedFields"});
  if (list == nullptr) return managers;
  for (const Json& entry : list->as_array()) {
    std::string text(entry.StringAt({"manager"}));
    const std::string_view subresource = entry.StringAt({"subresource"});
    if (!subresource.empty()) text.append("/").append(subresource);
    managers.push_back(std::move(text));
  }
  return managers;
}

// The entry through that subresource; null where there is none.
const Json* EntryThrough(const Json& object, std::string_view subresource) {
  const Json* list = object.FindPath({"metadata", "managedFields"});
  if (list == nullptr) return nullptr;
  for (const Json& entry : list->as_array())
    if (entry.StringAt({"subresource"}) == subresource) return &entry;
  return nullptr;
}

class EngineManagedFieldsTest : public testing::Test {
 protected:
  EngineManagedFieldsTest() {
    world_.transport.Handle([this](const kube::OutboundRequest& request) {
      if (request.method == "GET" && !running_) return Answered(200, R"({"id":"v1"})");
      return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/1"}});
    });
    world_.Start();
    world_.Create(CloudYaml(true));
  }
  Json TheOperation() { return world_.Get("asyncoperations", world_.Operations().front()); }

  bool running_ = true;
  EngineWorld world_;
};

TEST_F(EngineManagedFieldsTest, TheOperationsThatItMakesAreItsOwn) {
  world_.Create(ResourceYaml());
  world_.Settle();
  const Json operation = TheOperation();
  EXPECT_THAT(Managers(operation),
              testing::UnorderedElementsAre("asyncops-reconciler", "asyncops-reconciler/status"));
  const Json* spec = EntryThrough(operation, "");
  ASSERT_NE(spec, nullptr);
  EXPECT_NE(spec->FindPath({"fieldsV1", "f:spec", "f:type"}), nullptr);
  EXPECT_NE(spec->FindPath({"fieldsV1", "f:metadata", "f:finalizers"}), nullptr);
  const Json* status = EntryThrough(operation, "status");
  ASSERT_NE(status, nullptr);
  EXPECT_NE(status->FindPath({"fieldsV1", "f:status", "f:operationID"}), nullptr);
}

TEST_F(EngineManagedFieldsTest, TheStatusIsOwnedFieldByField) {
  world_.Create(ResourceYaml());
  world_.Settle();
  running_ = false;
  world_.Pass(std::chrono::seconds(10));
  const Json operation = TheOperation();
  const Json* entry = EntryThrough(operation, "status");
  ASSERT_NE(entry, nullptr);
  const Json* owned = entry->FindPath({"fieldsV1", "f:status"});
  ASSERT_NE(owned, nullptr);
  for (const auto& [name, value] : operation.Find("status")->as_object())
    EXPECT_NE(owned->Find("f:" + name), nullptr) << name;
  for (const auto& [name, value] : owned->as_object()) {
    if (name != ".") {
      EXPECT_NE(operation.Find("status")->Find(name.substr(2)), nullptr) << name;
    }
  }
}

TEST_F(EngineManagedFieldsTest, WhatItWritesOfOthersObjectsIsItsOwnOfThem) {
  world_.Create(ResourceYaml("  suspend: true\n"));
  world_.Edit("asyncresources", "vol", [](Json* object) {
    object->ObjectAt("metadata").Set("managedFields", *ParseJson(R"([{"manager":"human",
        "operation":"Update","apiVersion":"asyncops.dev/v1alpha1","fieldsType":"FieldsV1",
        "fieldsV1":{"f:spec":{"f:suspend":{}}}}])"));
  });
  world_.Settle();
  const Json resource = world_.Get("asyncresources", "vol");
  EXPECT_THAT(Managers(resource), testing::UnorderedElementsAre("human", "asyncops-reconciler",
                                                                "asyncops-reconciler/status"));
  EXPECT_EQ(EncodeJson(*EntryThrough(resource, "status")->FindPath({"fieldsV1"})).substr(0, 14),
            R"({"f:status":{")");
}

TEST_F(EngineManagedFieldsTest, ItsEventsAreItsOwn) {
  world_.Create(ResourceYaml());
  world_.Settle();
  int seen = 0;
  const auto look = [&seen](const storage::Record& record) {
    ++seen;
    EXPECT_THAT(Managers(*ParseJson(record.json)), ElementsAre("asyncops-reconciler"));
  };
  ASSERT_TRUE(ForEachObject(*world_.store, "events", "", FieldSelector(), look).ok());
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace asyncops::reconciler
