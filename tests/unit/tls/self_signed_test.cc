#include "apiserver/tls/self_signed.h"

#include <algorithm>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/tls/ca.h"
#include "apiserver/tls/current_certificate.h"
#include "base/encoding.h"
#include "tests/support/fake_api_client.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/tls/trust.h"

namespace asyncops::tls {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecrets = "/api/v1/secrets";
constexpr const char* kServices = "/apis/apiregistration.k8s.io/v1/apiservices";
constexpr const char* kWebhooks =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
constexpr const char* kServiceName = "v1alpha1.operations.asyncops.dev";
constexpr const char* kNamespace = "asyncops-system";
constexpr const char* kName = "asyncops-serving";

class SelfSignedTest : public testing::Test {
 protected:
  SelfSignedTest() {
    client_.Put(kServices, Json::Of({{"metadata", Json::Of({{"name", kServiceName}})}}));
    client_.Put(kWebhooks,
                Json::Of({{"metadata", Json::Of({{"name", "asyncops"}})},
                          {"webhooks", JsonArray{Json::Of({{"name", "validate.asyncops.dev"}})}}}));
  }

  // What one process presents.
  struct Process {
    Process(FakeApiClient& client, const Clock& clock,
            std::vector<std::string> names = {"localhost"})
        : certificates({.namespace_name = kNamespace, .more_names = std::move(names)}, client,
                       clock, [this](const KeyPair& pair) {
                         presented = pair;
                         return Status::Ok();
                       }) {}
    KeyPair presented;
    SelfSignedCertificates certificates;
  };

  std::optional<Json> Secret() { return client_.Find(kSecrets, kNamespace, kName); }
  std::string Injected() {
    return Base64Decode(client_.Find(kServices, "", kServiceName)->StringAt({"spec", "caBundle"}))
        .value_or("");
  }
  std::string InjectedIntoWebhook() {
    const Json webhook = client_.Find(kWebhooks, "", "asyncops")->Find("webhooks")->as_array()[0];
    return Base64Decode(webhook.StringAt({"clientConfig", "caBundle"})).value_or("");
  }
  int Writes() {
    const std::vector<kube::ApiRequest> requests = client_.requests();
    return static_cast<int>(
        std::count_if(requests.begin(), requests.end(),
                      [](const kube::ApiRequest& request) { return request.method != "GET"; }));
  }

  FakeClock clock_;
  FakeApiClient client_;
};

TEST_F(SelfSignedTest, TheFirstLookMakesASecretAndTellsWhomToTrust) {
  Process process(client_, clock_);
  EXPECT_EQ(process.certificates.Health().reason(), Reason::kServiceUnavailable);
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_TRUE(process.certificates.Health().ok());

  const Json secret = Secret().value();
  EXPECT_EQ(secret.StringAt({"type"}), "kubernetes.io/tls");
  EXPECT_EQ(secret.StringAt({"metadata", "labels", "app.kubernetes.io/managed-by"}), "asyncops");
  EXPECT_EQ(Base64Decode(secret.StringAt({"data", "ca.crt"})), Injected());
  EXPECT_EQ(InjectedIntoWebhook(), Injected());
  EXPECT_TRUE(IsTrusted(process.presented, Injected(), clock_.Now()));
  EXPECT_THAT(ReadCertificate(process.presented.certificate_pem)->names,
              testing::ElementsAre("asyncops.asyncops-system.svc", "asyncops.asyncops-system",
                                   "asyncops", "localhost"));
}

TEST_F(SelfSignedTest, LaterLooksAndStartsChangeNothing) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  const KeyPair first = process.presented;
  const int writes = Writes();
  ASSERT_TRUE(process.certificates.Look().ok());
  Process restarted(client_, clock_);
  ASSERT_TRUE(restarted.certificates.Look().ok());
  EXPECT_EQ(process.presented, first);
  EXPECT_EQ(restarted.presented, first);
  EXPECT_EQ(Writes(), writes);
}

TEST_F(SelfSignedTest, OfTwoThatStartAtOnceTheFirstWins) {
  Process one(client_, clock_);
  Process two(client_, clock_);
  // Two reads that there is no Secret; before it writes, one has made it.
  bool raced = false;
  client_.Handle([&raced, &one](const kube::ApiRequest& request) {
    if (request.method == "POST" && !std::exchange(raced, true)) {
      EXPECT_TRUE(one.certificates.Look().ok());
    }
    return std::optional<Result<Json>>();
  });
  ASSERT_TRUE(two.certificates.Look().ok());
  EXPECT_EQ(two.presented, one.presented);
  EXPECT_TRUE(IsTrusted(one.presented, Injected(), clock_.Now()));
}

TEST_F(SelfSignedTest, OfTwoThatRenewAtOnceTheFirstWins) {
  Process one(client_, clock_);
  Process two(client_, clock_);
  ASSERT_TRUE(one.certificates.Look().ok());
  const KeyPair before = one.presented;
  clock_.Advance(kLeafLifetime * 3 / 4);
  bool raced = false;
  client_.Handle([&raced, &one](const kube::ApiRequest& request) {
    if (request.method == "PUT" && !std::exchange(raced, true)) {
      EXPECT_TRUE(one.certificates.Look().ok());
    }
    return std::optional<Result<Json>>();
  });
  ASSERT_TRUE(two.certificates.Look().ok());
  EXPECT_NE(two.presented, before);
  EXPECT_EQ(two.presented, one.presented);
}

TEST_F(SelfSignedTest, ManyProcessesThatStartTogetherServeTheSame) {
  std::vector<std::unique_ptr<Process>> processes;
  processes.reserve(4);
  for (int i = 0; i < 4; ++i) processes.push_back(std::make_unique<Process>(client_, clock_));
  std::vector<std::future<Status>> looks;
  looks.reserve(processes.size());
  for (auto& process : processes)
    looks.push_back(
        std::async(std::launch::async, [&process] { return process->certificates.Look(); }));
  for (auto& look : looks) EXPECT_TRUE(look.get().ok());
  for (auto& process : processes) EXPECT_EQ(process->presented, processes[0]->presented);
}

TEST_F(SelfSignedTest, WhatSomebodyRevertsIsSetAgain) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  const std::string bundle = Injected();
  client_.Put(kServices, Json::Of({{"metadata", Json::Of({{"name", kServiceName}})},
                                   {"spec", Json::Of({{"caBundle", "Zm9v"}})}}));
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_EQ(Injected(), bundle);
}

TEST_F(SelfSignedTest, ForTwelveYearsWhatIsInjectedCoversWhatIsPresented) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  CurrentCertificate current(
      process.presented, [](const KeyPair&) { return Status::Ok(); }, clock_);
  const Time end = clock_.Now() + std::chrono::hours(24 * 365 * 12);
  std::string before = Injected();
  int bundles = 0;
  while (clock_.Now() < end) {
    clock_.Advance(std::chrono::hours(24 * 20));
    ASSERT_TRUE(process.certificates.Look().ok());
    ASSERT_TRUE(current.Replace(process.presented).ok());
    // Also by a client that has not seen the newest bundle yet.
    ASSERT_TRUE(IsTrusted(process.presented, before, clock_.Now()));
    ASSERT_TRUE(IsTrusted(process.presented, Injected(), clock_.Now()));
    ASSERT_EQ(InjectedIntoWebhook(), Injected());
    ASSERT_EQ(current.Warning(), "");
    bundles += before == Injected() ? 0 : 1;
    before = Injected();
  }
  // With the successor, in another order once it signs, and without the one before.
  EXPECT_EQ(bundles, 3);
}

TEST_F(SelfSignedTest, WhileTheBundleCannotBeSetTheOldCaSigns) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  const std::string trusted = Injected();
  client_.Handle([](const kube::ApiRequest& request) {
    std::optional<Result<Json>> answer;
    if (request.method == "PATCH") answer = Status(Reason::kForbidden, "not allowed");
    return answer;
  });
  clock_.Advance(kCaLifetime * 2 / 3);
  for (int day = 0; day < 300; day += 20) {
    clock_.Advance(std::chrono::hours(24 * 20));
    const Status status = process.certificates.Look();
    ASSERT_EQ(status.reason(), Reason::kForbidden);
    ASSERT_EQ(process.certificates.Health(), status);
    ASSERT_TRUE(IsTrusted(process.presented, trusted, clock_.Now())) << day;
  }
  client_.Handle(nullptr);
  ASSERT_TRUE(process.certificates.Look().ok());
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_FALSE(IsTrusted(process.presented, trusted, clock_.Now()));
  EXPECT_TRUE(IsTrusted(process.presented, Injected(), clock_.Now()));
}

TEST_F(SelfSignedTest, ASecretOfOursThatDoesNotReadIsMadeAnew) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  Json damaged = Secret().value();
  damaged.ObjectAt("data").Set("signing-ca.key", "AAAA");
  client_.Put(kSecrets, damaged);
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_TRUE(IsTrusted(process.presented, Injected(), clock_.Now()));
  EXPECT_TRUE(DecodeSelfSignedData(*Secret()->Find("data")).ok());
}

TEST_F(SelfSignedTest, ASecretOfAnotherIsLeftAloneAndTheWayOnIsSaid) {
  client_.Put(kSecrets,
              Json::Of({{"metadata", Json::Of({{"name", kName}, {"namespace", kNamespace}})},
                        {"data", Json::Of({{"tls.crt", "aHVudGVyMg=="}})}}));
  Process process(client_, clock_);
  const int writes = Writes();
  const Status status = process.certificates.Look();
  EXPECT_EQ(status.reason(), Reason::kForbidden);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("Secret asyncops-system/asyncops-serving: it is not one"),
                    HasSubstr("delete it, or name another by --self-signed-secret"),
                    Not(HasSubstr("hunter2"))));
  EXPECT_EQ(Writes(), writes);
  EXPECT_TRUE(process.presented.certificate_pem.empty());
}

TEST_F(SelfSignedTest, ABundleThatSomebodyEditedIsPutRight) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  Json edited = Secret().value();
  edited.ObjectAt("data").Set("ca.crt", "Zm9v");
  client_.Put(kSecrets, edited);
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_EQ(Base64Decode(Secret()->StringAt({"data", "ca.crt"})), Injected());
}

TEST_F(SelfSignedTest, ADeletedSecretMeansANewCa) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  const std::string old = Injected();
  client_.Remove(kSecrets, kNamespace, kName);
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_NE(Injected(), old);
  EXPECT_TRUE(IsTrusted(process.presented, Injected(), clock_.Now()));
}

TEST_F(SelfSignedTest, TheBundleIsSetBeforeWhatItIsForIsPresented) {
  std::string injected;
  SelfSignedCertificates certificates({.namespace_name = kNamespace}, client_, clock_,
                                      [this, &injected](const KeyPair&) {
                                        injected = Injected();
                                        return Status::Ok();
                                      });
  ASSERT_TRUE(certificates.Look().ok());
  EXPECT_EQ(injected, Injected());
  EXPECT_NE(injected, "");
}

TEST_F(SelfSignedTest, WhileKubeApiserverIsAwayTheLastCertificateStays) {
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  const KeyPair first = process.presented;
  client_.SetDown({Reason::kServiceUnavailable, "connection refused"});
  clock_.Advance(kLeafLifetime * 3 / 4);
  const Status status = process.certificates.Look();
  EXPECT_EQ(status.reason(), Reason::kServiceUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("connection refused"));
  EXPECT_EQ(process.presented, first);
  client_.SetDown(Status::Ok());
  ASSERT_TRUE(process.certificates.Look().ok());
  EXPECT_NE(process.presented, first);
}

TEST_F(SelfSignedTest, ThePlaceholderCanBeServedAndIsReplaced) {
  const KeyPair placeholder =
      MakePlaceholderCertificate({.namespace_name = kNamespace}, clock_.Now()).value();
  EXPECT_TRUE(CheckServable(placeholder, clock_.Now()).ok());
  CurrentCertificate current(
      placeholder, [](const KeyPair&) { return Status::Ok(); }, clock_);
  SelfSignedCertificates certificates(
      {.namespace_name = kNamespace}, client_, clock_,
      [&current](const KeyPair& pair) { return current.Replace(pair); });
  ASSERT_TRUE(certificates.Look().ok());
  EXPECT_TRUE(IsTrusted(current.pair(), Injected(), clock_.Now()));
  EXPECT_FALSE(IsTrusted(placeholder, Injected(), clock_.Now()));
}

TEST_F(SelfSignedTest, WhereTheServerRefusesItIsSaid) {
  SelfSignedCertificates certificates({.namespace_name = kNamespace}, client_, clock_,
                                      [](const KeyPair&) { return InternalError("no room"); });
  EXPECT_THAT(certificates.Look().message(), HasSubstr("no room"));
}

TEST_F(SelfSignedTest, ItLooksByItself) {
  std::promise<void> presented;
  bool first = true;
  SelfSignedCertificates certificates({.namespace_name = kNamespace}, client_, clock_,
                                      [&presented, &first](const KeyPair&) {
                                        if (std::exchange(first, false)) presented.set_value();
                                        return Status::Ok();
                                      });
  const auto periodic = StartSelfSigned(certificates);
  presented.get_future().get();
}

TEST_F(SelfSignedTest, KeysNeverLeaveButIntoTheSecret) {
  testing::internal::CaptureStderr();
  Process process(client_, clock_);
  ASSERT_TRUE(process.certificates.Look().ok());
  const std::string key(Secret()->StringAt({"data", "tls.key"}));
  std::vector<std::string> other_bodies;
  for (const kube::ApiRequest& request : client_.requests())
    if (request.target.find("/secrets") == std::string::npos) other_bodies.push_back(request.body);
  EXPECT_THAT(other_bodies, Not(Contains(HasSubstr("PRIVATE KEY"))));
  EXPECT_THAT(other_bodies, Not(Contains(HasSubstr(key))));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("KEY")));
}

}  // namespace
}  // namespace asyncops::tls
