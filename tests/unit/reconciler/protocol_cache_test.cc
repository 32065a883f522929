// What operations share of a declaration, and what they do not.
#include "reconciler/protocol_cache.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "api/schema/binding.h"
#include "base/yaml.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

ExternalSystem Cloud() { return *DecodeAs<ExternalSystem>(ParseYaml(CloudYaml(true))->front()); }

SharedSystem Share(ExternalSystem system) {
  return std::make_shared<const ExternalSystem>(std::move(system));
}

AsyncOperation Operation() {
  return *DecodeAs<AsyncOperation>(ParseYaml(OperationYaml())->front());
}

TEST(ProtocolCacheTest, OperationsThatDifferOnlyInWhatIsTheirsShareOne) {
  ProtocolCache cache;
  const auto first = cache.Get(Share(Cloud()), Operation());
  ASSERT_TRUE(first.ok());
  AsyncOperation other = Operation();
  other.metadata.name = "other";
  other.spec.parameters = Json::Of({{"size", "2Gi"}});
  other.spec.suspend = true;
  other.spec.ttl_after_finished = std::chrono::hours(1);
  const auto second = cache.Get(Share(Cloud()), other);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*first, *second);
  const OperationIdentity nobody;
  EXPECT_EQ((*first)->protocol->For(Operation())->RenderSubmit(nobody)->body, R"({"size":"1Gi"})");
  EXPECT_EQ((*first)->protocol->For(other)->RenderSubmit(nobody)->body, R"({"size":"2Gi"})");
}

TEST(ProtocolCacheTest, WhatIsCompiledIsCompiledAgainWhereItChanges) {
  const std::vector<std::pair<const char*, std::function<void(AsyncOperation*)>>> changes = {
      {"the deadline",
       [](AsyncOperation* it) { it->spec.active_deadline = std::chrono::hours(2); }},
      {"the type", [](AsyncOperation* it) { it->spec.type = "Update"; }},
      {"the path", [](AsyncOperation* it) { it->spec.submit->path = "/disks"; }},
      {"the interval",
       [](AsyncOperation* it) { it->spec.poll->interval->max = std::chrono::hours(1); }},
      {"the outputs", [](AsyncOperation* it) { it->spec.outputs.clear(); }},
      {"the retries", [](AsyncOperation* it) { it->spec.retry.emplace().limit = 1; }},
  };
  for (const auto& [what, change] : changes) {
    ProtocolCache cache;
    AsyncOperation other = Operation();
    change(&other);
    const auto first = cache.Get(Share(Cloud()), Operation());
    const auto second = cache.Get(Share(Cloud()), other);
    ASSERT_TRUE(first.ok() && second.ok()) << what;
    EXPECT_NE(*first, *second) << what;
  }
}

TEST(ProtocolCacheTest, AnotherVersionOfTheSystemIsAnotherOne) {
  const std::vector<std::pair<const char*, std::function<void(ExternalSystem*)>>> changes = {
      {"its spec", [](ExternalSystem* it) { ++it->metadata.generation; }},
      {"its uid", [](ExternalSystem* it) { it->metadata.uid = "another"; }},
      {"its deletion", [](ExternalSystem* it) { it->metadata.deletion_timestamp = Time(); }},
  };
  for (const auto& [what, change] : changes) {
    ProtocolCache cache;
    ExternalSystem other = Cloud();
    change(&other);
    const auto first = cache.Get(Share(Cloud()), Operation());
    const auto second = cache.Get(Share(other), Operation());
    ASSERT_TRUE(first.ok() && second.ok()) << what;
    EXPECT_NE(*first, *second) << what;
  }
}

TEST(ProtocolCacheTest, WhatNobodyUsesIsNotKept) {
  ProtocolCache cache;
  std::weak_ptr<const Declared> seen = *cache.Get(Share(Cloud()), Operation());
  EXPECT_TRUE(seen.expired());
  for (int i = 0; i < 500; ++i) {
    ExternalSystem system = Cloud();
    system.metadata.generation = i;
    ASSERT_TRUE(cache.Get(Share(system), Operation()).ok());
  }
  EXPECT_TRUE(cache.Get(Share(Cloud()), Operation()).ok());
}

TEST(ProtocolCacheTest, AMistakeIsToldEachTime) {
  ProtocolCache cache;
  AsyncOperation wrong = Operation();
  wrong.spec.submit->path = "${nonsense(";
  EXPECT_FALSE(cache.Get(Share(Cloud()), wrong).ok());
  EXPECT_FALSE(cache.Get(Share(Cloud()), wrong).ok());
}

}  // namespace
}  // namespace asyncops::reconciler
