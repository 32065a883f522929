#include "apiserver/auth/delegated_config_watch.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "tests/support/fake_api_client.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/unit/auth/showing_certificate.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;

constexpr char kCollection[] = "/api/v1/configmaps";
constexpr char kName[] = "extension-apiserver-authentication";

// Declared after a watch, so that it ends first.
struct CancelAtEnd {
  explicit CancelAtEnd(FakeApiClient& cancelled) : client(cancelled) {}
  ~CancelAtEnd() { client.Cancel(); }
  CancelAtEnd(const CancelAtEnd&) = delete;
  CancelAtEnd& operator=(const CancelAtEnd&) = delete;
  FakeApiClient& client;
};

struct DelegatedConfigWatchTest : testing::Test {
  void Put(const std::string& proxy_ca, std::string_view username_headers) {
    client.Put(
        kCollection,
        Json::Of({{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata", Json::Of({{"namespace", "kube-system"}, {"name", kName}})},
                  {"data", Json::Of({{"requestheader-client-ca-file", proxy_ca},
                                     {"requestheader-username-headers", username_headers}})}}));
  }
  bool Trusts(const tls::KeyPair& proxy) const {
    http::Request request = ShowingCertificate(proxy);
    request.headers.Add("X-Remote-User", "ada");
    const Authentication user = *authenticator.TryAuthenticate(request);
    return user.ok() && *user != nullptr && (*user)->name == "ada";
  }
  static bool Eventually(const std::function<bool()>& holds) {
    const SystemClock real;
    const SteadyTime until = real.SteadyNow() + std::chrono::seconds(10);
    while (!holds()) {
      if (real.SteadyNow() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  FakeClock clock;
  FakeIds ids;
  FakeApiClient client;
  const tls::KeyPair first = tls::MakeCertificateAuthority("first", clock.Now()).value();
  const tls::KeyPair second = tls::MakeCertificateAuthority("second", clock.Now()).value();
  const tls::KeyPair old_proxy =
      tls::IssueClientCertificate(first, {"proxy", {}}, clock.Now()).value();
  const tls::KeyPair new_proxy =
      tls::IssueClientCertificate(second, {"proxy", {}}, clock.Now()).value();
  DelegatedAuthenticator authenticator{clock};
};

TEST_F(DelegatedConfigWatchTest, FollowsTheConfigMapAndKeepsTheLastGoodOne) {
  Put(first.certificate_pem, R"(["X-Remote-User"])");
  DelegatedConfigWatch watch(authenticator, client, clock, ids);
  const CancelAtEnd cancel(client);
  ASSERT_TRUE(watch.WaitForSync(std::chrono::seconds(10)));
  ASSERT_TRUE(Eventually([this] { return Trusts(old_proxy); }));
  EXPECT_TRUE(Eventually([&watch] { return watch.health().ok(); })) << watch.health().ToString();
  EXPECT_THAT(client.requests().at(0).target,
              HasSubstr("/api/v1/namespaces/kube-system/configmaps?"));
  EXPECT_EQ(QueryOf(client.requests().at(0), "fieldSelector"),
            "metadata.name=extension-apiserver-authentication");

  Put(second.certificate_pem, R"(["X-Remote-User"])");
  ASSERT_TRUE(Eventually([this] { return Trusts(new_proxy); }));
  EXPECT_FALSE(Trusts(old_proxy));

  Put(second.certificate_pem, "X-Remote-User");
  ASSERT_TRUE(Eventually([&watch] { return !watch.health().ok(); }));
  EXPECT_THAT(watch.health().message(), HasSubstr("requestheader-username-headers: "));
  EXPECT_TRUE(Trusts(new_proxy));

  client.Remove(kCollection, "kube-system", kName);
  ASSERT_TRUE(
      Eventually([&watch] { return watch.health().reason() == Reason::kServiceUnavailable; }));
  EXPECT_TRUE(Trusts(new_proxy));
}

TEST_F(DelegatedConfigWatchTest, WithoutAConfigMapThereIsNoFrontProxy) {
  DelegatedConfigWatch watch(authenticator, client, clock, ids);
  const CancelAtEnd cancel(client);
  ASSERT_TRUE(watch.WaitForSync(std::chrono::seconds(10)));
  EXPECT_FALSE(watch.health().ok());
  EXPECT_FALSE(Trusts(old_proxy));
  Put(first.certificate_pem, R"(["X-Remote-User"])");
  EXPECT_TRUE(Eventually([this] { return Trusts(old_proxy); }));
}

}  // namespace
}  // namespace asyncops::apiserver
