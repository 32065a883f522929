#include "apiserver/tls/ca_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "base/encoding.h"
#include "tests/support/fake_api_client.h"

namespace asyncops::tls {
namespace {

using testing::HasSubstr;

constexpr const char* kServices = "/apis/apiregistration.k8s.io/v1/apiservices";
constexpr const char* kWebhooks =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
constexpr const char* kServiceName = "v1alpha1.operations.asyncops.dev";

class CaInjectorTest : public testing::Test {
 protected:
  CaInjectorTest() {
    client_.Put(kServices, Json::Of({{"metadata", Json::Of({{"name", kServiceName}})},
                                     {"spec", Json::Of({{"group", "operations.asyncops.dev"}})}}));
    PutWebhooks();
  }
  void PutWebhooks() {
    const auto webhook = [](const char* name) {
      return Json::Of({{"name", name},
                       {"clientConfig", Json::Of({{"service", Json::Of({{"name", "asyncops"}})}})},
                       {"failurePolicy", "Fail"}});
    };
    client_.Put(kWebhooks, Json::Of({{"metadata", Json::Of({{"name", "asyncops"}})},
                                     {"webhooks", JsonArray{webhook("a.b.c"), webhook("d.e.f")}}}));
  }
  std::optional<std::string> ServiceBundle() {
    return Base64Decode(client_.Find(kServices, "", kServiceName)->StringAt({"spec", "caBundle"}));
  }
  Json Webhook(std::size_t index) {
    return client_.Find(kWebhooks, "", "asyncops")->Find("webhooks")->as_array()[index];
  }
  std::optional<std::string> WebhookBundle(std::size_t index) {
    return Base64Decode(Webhook(index).StringAt({"clientConfig", "caBundle"}));
  }
  int Patches() {
    int patches = 0;
    for (const kube::ApiRequest& request : client_.requests())
      patches += request.method == "PATCH" ? 1 : 0;
    return patches;
  }

  FakeApiClient client_;
};

TEST_F(CaInjectorTest, TheServiceAndEachWebhookGetTheBundleAndNothingElseChanges) {
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  EXPECT_EQ(ServiceBundle(), "PEM");
  EXPECT_EQ(WebhookBundle(0), "PEM");
  EXPECT_EQ(WebhookBundle(1), "PEM");
  EXPECT_EQ(Webhook(1).StringAt({"name"}), "d.e.f");
  EXPECT_EQ(Webhook(1).StringAt({"failurePolicy"}), "Fail");
  EXPECT_EQ(Webhook(1).StringAt({"clientConfig", "service", "name"}), "asyncops");
  EXPECT_EQ(client_.Find(kServices, "", kServiceName)->StringAt({"spec", "group"}),
            "operations.asyncops.dev");
}

TEST_F(CaInjectorTest, WhatHasItIsNotWritten) {
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  const int before = Patches();
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  EXPECT_EQ(Patches(), before);
}

TEST_F(CaInjectorTest, WhatSomebodyRevertedIsSetAgain) {
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  PutWebhooks();
  const int before = Patches();
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  EXPECT_EQ(WebhookBundle(0), "PEM");
  EXPECT_EQ(Patches(), before + 1);
}

TEST_F(CaInjectorTest, WhatIsNotThereIsNobodysConcern) {
  client_.Remove(kWebhooks, "", "asyncops");
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  EXPECT_EQ(ServiceBundle(), "PEM");
  client_.Remove(kServices, "", kServiceName);
  EXPECT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
}

TEST_F(CaInjectorTest, AWebhookThatSomebodyAddsMeanwhileIsKept) {
  int conflicts = 0;
  client_.Handle([this, &conflicts](const kube::ApiRequest& request) {
    std::optional<Result<Json>> answer;
    if (request.method != "PATCH" || request.target.find("webhook") == std::string::npos)
      return answer;
    // As kube-apiserver does where the version that comes along is not the stored one.
    if (++conflicts > 1) return answer;
    answer = Conflict("admissionregistration.k8s.io", "validatingwebhookconfigurations", "asyncops",
                      kObjectModified);
    Json object = *client_.Find(kWebhooks, "", "asyncops");
    object.Find("webhooks")->as_array().push_back(Json::Of({{"name", "new.b.c"}}));
    client_.Put(kWebhooks, object);
    return answer;
  });
  ASSERT_TRUE(InjectCaBundle(client_, {}, "PEM").ok());
  EXPECT_EQ(Webhook(2).StringAt({"name"}), "new.b.c");
  EXPECT_EQ(WebhookBundle(2), "PEM");
  const kube::ApiRequest patch = client_.requests().back();
  EXPECT_THAT(patch.body, HasSubstr("resourceVersion"));
  EXPECT_EQ(patch.content_type, "application/merge-patch+json");
}

TEST_F(CaInjectorTest, ARefusalNamesTheObjectAndDoesNotHoldUpTheOther) {
  client_.Handle([](const kube::ApiRequest& request) {
    std::optional<Result<Json>> answer;
    if (request.method == "PATCH" && request.target.find("apiservices") != std::string::npos)
      answer = Status(Reason::kForbidden, "not allowed");
    return answer;
  });
  const Status status = InjectCaBundle(client_, {}, "PEM");
  EXPECT_EQ(status.reason(), Reason::kForbidden);
  EXPECT_THAT(status.message(), HasSubstr("APIService v1alpha1.operations.asyncops.dev: not"));
  EXPECT_EQ(WebhookBundle(0), "PEM");
}

TEST_F(CaInjectorTest, WhereEveryWriteLosesItSaysSo) {
  client_.Handle([](const kube::ApiRequest& request) {
    std::optional<Result<Json>> answer;
    if (request.method == "PATCH") answer = Conflict("", "apiservices", "x", kObjectModified);
    return answer;
  });
  EXPECT_EQ(InjectCaBundle(client_, {}, "PEM").reason(), Reason::kConflict);
}

}  // namespace
}  // namespace asyncops::tls
