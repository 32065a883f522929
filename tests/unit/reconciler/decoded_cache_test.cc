// What is decoded once is as fresh as the store.
#include <gtest/gtest.h>

#include "reconciler/local_resource_client.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

class DecodedCacheTest : public testing::Test {
 protected:
  DecodedCacheTest() {
    world_.Start();
    resources_ = MakeLocalResourceClient(*world_.store, world_.clock, world_.ids);
  }
  Result<SharedSystem> Get() { return resources_->GetSystem({"team", "cloud"}); }
  void SetEndpoint(const std::string& endpoint) {
    world_.Edit("externalsystems", "cloud",
                [&endpoint](Json* object) { object->ObjectAt("spec").Set("endpoint", endpoint); });
  }

  EngineWorld world_;
  std::unique_ptr<ResourceClient> resources_;
};

TEST_F(DecodedCacheTest, AnEditIsSeenAtOnce) {
  world_.Create(CloudYaml(true));
  EXPECT_EQ((*Get())->spec.endpoint, "http://cloud.example/v1");
  EXPECT_EQ(*Get(), *Get()) << "decoded once";
  for (int i = 0; i < 20; ++i) {
    const std::string endpoint = "http://cloud" + std::to_string(i) + ".example";
    SetEndpoint(endpoint);
    EXPECT_EQ((*Get())->spec.endpoint, endpoint);
    EXPECT_EQ((*Get())->spec.endpoint, endpoint) << "and stays";
  }
}

TEST_F(DecodedCacheTest, ADeletionIsSeenAtOnceAndSoIsItsSuccessor) {
  EXPECT_EQ(Get().status().reason(), Reason::kNotFound);
  world_.Create(CloudYaml(true));
  const std::string uid = (*Get())->metadata.uid;
  world_.Delete("externalsystems", "cloud");
  EXPECT_EQ(Get().status().reason(), Reason::kNotFound);
  world_.Create(CloudYaml(true));
  EXPECT_NE((*Get())->metadata.uid, uid);
}

TEST_F(DecodedCacheTest, WhatTheEngineWritesIsSeenToo) {
  world_.Create(CloudYaml(true));
  EXPECT_EQ((*Get())->status.circuit, "");
  ASSERT_TRUE(
      resources_
          ->UpdateSystemStatus({"team", "cloud"},
                               [](ExternalSystemStatus* status) { status->circuit = "Open"; })
          .ok());
  EXPECT_EQ((*Get())->status.circuit, "Open");
}

TEST_F(DecodedCacheTest, OneOfAnotherNamespaceIsAnotherOne) {
  world_.Create(CloudYaml(true));
  EXPECT_TRUE(Get().ok());
  EXPECT_EQ(resources_->GetSystem({"other", "cloud"}).status().reason(), Reason::kNotFound);
}

TEST_F(DecodedCacheTest, ThereMayBeMany) {
  for (int i = 0; i < 300; ++i) {
    std::string yaml = CloudYaml(true);
    yaml.replace(yaml.find("name: cloud"), 11, "name: cloud" + std::to_string(i));
    world_.Create(yaml);
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 300; ++i) {
      const std::string name = "cloud" + std::to_string(i);
      EXPECT_EQ((*resources_->GetSystem({"team", name}))->metadata.name, name);
    }
  }
}

TEST_F(DecodedCacheTest, ASecretIsAsFreshAsASystem) {
  const ObjectName name{"team", "token"};
  const auto yaml = [](const std::string& value) {
    return "kind: Secret\napiVersion: v1\nmetadata: {name: token}\ndata: {token: " + value + "}\n";
  };
  EXPECT_EQ(resources_->GetSecret(name).status().reason(), Reason::kNotFound);
  world_.Create(yaml("b25l"));
  EXPECT_EQ(resources_->GetSecret(name)->at("token"), "one");
  EXPECT_EQ(resources_->GetSecret(name)->at("token"), "one") << "and stays";
  world_.Edit("secrets", "token",
              [](Json* object) { object->ObjectAt("data").Set("token", "dHdv"); });
  EXPECT_EQ(resources_->GetSecret(name)->at("token"), "two");
  world_.Delete("secrets", "token");
  EXPECT_EQ(resources_->GetSecret(name).status().reason(), Reason::kNotFound);
  EXPECT_EQ(resources_->GetLastSecret(name)->at("token"), "two");
}

}  // namespace
}  // namespace asyncops::reconciler
