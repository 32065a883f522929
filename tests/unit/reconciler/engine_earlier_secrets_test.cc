// What earlier operations of an AsyncResource put into Secrets is nothing that later ones store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/annotations.h"
#include "reconciler/earlier_secrets.h"
#include "tests/unit/reconciler/engine_world.h"
#include "tests/unit/reconciler/store_bytes.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kMonitor = "http://cloud.example/v1/operations/7";
constexpr const char* kMade = R"({"id":"v1","password":"pa55-of-it","config":{"key":"hunter2"}})";

class EngineEarlierSecretsTest : public testing::Test {
 protected:
  void Begin() {
    world_.Start();
    world_.Create(CloudYaml(true));
    std::string yaml = ResourceYaml();
    const std::string plain = "[{name: volumeID, value: /id}]";
    yaml.replace(yaml.find(plain), plain.size(),
                 "[{name: volumeID, value: /id}, "
                 "{name: password, value: /password, toSecret: {name: vol, key: password}}, "
                 "{name: config, value: /config, toSecret: {name: vol, key: config}}]");
    world_.Create(yaml);
    world_.transport.Script(Answered(202, "", {{"Location", kMonitor}}));
    world_.transport.Script(Answered(200, kMade));
    world_.Pass(seconds(8));
    ASSERT_EQ(world_.Resource("vol").phase, "Ready");
  }
  // Answers a submit and its polls, each with the values in it, until it is done.
  void Tell(const std::string& method) {
    world_.transport.Handle([method, this](const kube::OutboundRequest& request) {
      const std::string text = R"({"error":"pa55-of-it and hunter2 in )" + method + "\"}";
      if (request.method == method) return Answered(202, text, {{"Location", kMonitor}});
      return ++polls_ < 3 ? Answered(500, text) : Answered(200, R"({"id":"v1"})");
    });
  }
  void ExpectNothingOnDisk() {
    const std::string bytes = StoreBytes(world_.directory);
    EXPECT_EQ(bytes.find("pa55-of-it"), std::string::npos);
    EXPECT_EQ(bytes.find("hunter2"), std::string::npos);
    EXPECT_NE(bytes.find("[redacted]"), std::string::npos) << "it was shown, and taken out";
  }
  std::string NotedOn(std::string_view operation) {
    const Json object = world_.Get("asyncoperations", operation);
    return std::string(object.StringAt({"metadata", "annotations", kEarlierSecrets}));
  }

  EngineWorld world_;
  int polls_ = 0;
};

TEST_F(EngineEarlierSecretsTest, ADeletionKnowsThem) {
  Begin();
  Tell("DELETE");
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  world_.Pass(seconds(90));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  EXPECT_GE(polls_, 3);
  ExpectNothingOnDisk();
}

TEST_F(EngineEarlierSecretsTest, ADeletionKnowsThemAfterARestart) {
  Begin();
  Tell("DELETE");
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  world_.Crash();
  world_.Start();
  world_.Pass(seconds(90));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  ExpectNothingOnDisk();
}

TEST_F(EngineEarlierSecretsTest, ADeletionKnowsThemWhereTheSecretGoesFirst) {
  Begin();
  Tell("DELETE");
  world_.Delete("secrets", "vol");
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(90));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  ExpectNothingOnDisk();
}

TEST_F(EngineEarlierSecretsTest, AnUpdateKnowsThoseThatAreNoOutputsAnyMore) {
  Begin();
  Tell("PUT");
  world_.Edit("asyncresources", "vol", [](Json* resource) {
    JsonArray outputs;
    outputs.push_back(Json::Of({{"name", "volumeID"}, {"value", "/id"}}));
    resource->ObjectAt("spec").Set("outputs", Json(std::move(outputs)));
    resource->ObjectAt("spec").Set("parameters", Json::Of({{"size", "2Gi"}}));
  });
  world_.Pass(seconds(90));
  EXPECT_EQ(world_.Resource("vol").phase, "Ready");
  EXPECT_GE(polls_, 3);
  ExpectNothingOnDisk();
  // Nor does the one after it forget.
  polls_ = 0;
  Tell("DELETE");
  world_.Delete("asyncresources", "vol");
  world_.Pass(seconds(90));
  EXPECT_FALSE(world_.Exists("asyncresources", "vol"));
  ExpectNothingOnDisk();
}

TEST_F(EngineEarlierSecretsTest, WhatIsItsOwnIsNotNoted) {
  Begin();
  const std::vector<std::string> made = world_.Operations();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(NotedOn(made[0]), "");
  world_.transport.Handle([](const kube::OutboundRequest&) { return Answered(500); });
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  EXPECT_EQ(world_.Operations().size(), 2U);
  for (const std::string& name : world_.Operations())
    EXPECT_EQ(NotedOn(name), name == made[0] ? "" : "vol/config,vol/password");
}

TEST_F(EngineEarlierSecretsTest, WithoutSuchOutputsNothingIsNoted) {
  world_.Start();
  world_.Create(CloudYaml(true));
  world_.Create(ResourceYaml());
  world_.transport.Script(Answered(201, R"({"id":"v1"})"));
  world_.Pass(seconds(2));
  world_.transport.Handle([](const kube::OutboundRequest&) { return Answered(500); });
  world_.Delete("asyncresources", "vol");
  world_.Settle();
  ASSERT_EQ(world_.Operations().size(), 2U);
  for (const std::string& name : world_.Operations()) EXPECT_EQ(NotedOn(name), "");
}

TEST(EarlierSecretsTest, WhatCannotBeReadIsLeftOut) {
  AsyncOperation operation;
  EXPECT_THAT(EarlierSecrets(operation), IsEmpty());
  operation.metadata.annotations.emplace(kEarlierSecrets, ",a/b,,c,d/e/f,");
  const std::vector<SecretKeyRef> read = EarlierSecrets(operation);
  EXPECT_EQ(read, (std::vector<SecretKeyRef>{{"a", "b"}, {"d", "e/f"}}));
}

}  // namespace
}  // namespace asyncops::reconciler
