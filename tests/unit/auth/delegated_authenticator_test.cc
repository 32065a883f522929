#include "apiserver/auth/delegated_authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "apiserver/auth/delegated_config.h"
#include "apiserver/auth/review_guard.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/auth/showing_certificate.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Authority {
  explicit Authority(std::string_view name, Time now)
      : ca(tls::MakeCertificateAuthority(name, now).value()), made(now) {}
  tls::KeyPair Client(std::string name, std::vector<std::string> groups = {}) const {
    return tls::IssueClientCertificate(ca, {std::move(name), std::move(groups)}, made).value();
  }
  const tls::KeyPair ca;
  const Time made;
};

struct DelegatedAuthenticatorTest : testing::Test {
  DelegatedAuthenticatorTest() {
    config.client_ca_pem = clients.ca.certificate_pem;
    config.request_header.ca_pem = proxies.ca.certificate_pem;
    config.request_header.username_headers = {"X-Remote-User"};
    config.request_header.group_headers = {"X-Remote-Group"};
    config.request_header.extra_header_prefixes = {"X-Remote-Extra-"};
  }
  // Who it is who shows this and says to be eve; "" for nobody.
  std::string Name(const tls::KeyPair& pair) const {
    http::Request request = ShowingCertificate(pair);
    request.headers.Add("X-Remote-User", "eve");
    const Authentication user = *authenticator.TryAuthenticate(request);
    return !user.ok() ? user.status().message() : *user == nullptr ? "" : (*user)->name;
  }

  FakeClock clock;
  const Authority clients{"client-ca", clock.Now()};
  const Authority proxies{"proxy-ca", clock.Now()};
  const Authority others{"other-ca", clock.Now()};
  std::vector<std::string> changes;
  DelegatedAuthenticator authenticator{clock,
                                       [this](const std::string& pem) { changes.push_back(pem); }};
  DelegatedAuthenticationConfig config;
};

TEST_F(DelegatedAuthenticatorTest, NobodyIsKnownBeforeTheConfiguration) {
  EXPECT_EQ(Name(clients.Client("ada")), "");
  EXPECT_EQ(Name(proxies.Client("proxy")), "");
  EXPECT_EQ(**authenticator.TryAuthenticate(http::Request()), nullptr);
}

TEST_F(DelegatedAuthenticatorTest, TheProxyNamesOthersAndAClientItself) {
  ASSERT_TRUE(authenticator.Set(config).ok());
  EXPECT_EQ(Name(clients.Client("ada")), "ada");
  EXPECT_EQ(Name(proxies.Client("proxy")), "eve");
  EXPECT_EQ(Name(others.Client("mallory")), "");
  // A proxy that names nobody is nobody: its CA is not that of clients.
  EXPECT_EQ(**authenticator.TryAuthenticate(ShowingCertificate(proxies.Client("proxy"))), nullptr);
  const auto user = *authenticator.TryAuthenticate(ShowingCertificate(clients.Client("a", {"g"})));
  EXPECT_THAT((*user)->groups, ElementsAre("g", "system:authenticated"));
}

TEST_F(DelegatedAuthenticatorTest, EachIsThereWithoutTheOther) {
  config.client_ca_pem = "";
  ASSERT_TRUE(authenticator.Set(config).ok());
  EXPECT_EQ(Name(proxies.Client("proxy")), "eve");
  EXPECT_EQ(Name(clients.Client("ada")), "");
  DelegatedAuthenticator second(clock);
  config.client_ca_pem = clients.ca.certificate_pem;
  config.request_header = {};
  ASSERT_TRUE(second.Set(config).ok());
  EXPECT_NE(**second.TryAuthenticate(ShowingCertificate(clients.Client("ada"))), nullptr);
}

TEST_F(DelegatedAuthenticatorTest, ARotationHoldsFromTheNextRequestOn) {
  ASSERT_TRUE(authenticator.Set(config).ok());
  const tls::KeyPair old_proxy = proxies.Client("proxy");
  const tls::KeyPair new_proxy = others.Client("proxy");
  EXPECT_EQ(Name(old_proxy), "eve");
  config.request_header.ca_pem += others.ca.certificate_pem;
  ASSERT_TRUE(authenticator.Set(config).ok());
  EXPECT_EQ(Name(old_proxy), "eve");
  EXPECT_EQ(Name(new_proxy), "eve");
  config.request_header.ca_pem = others.ca.certificate_pem;
  ASSERT_TRUE(authenticator.Set(config).ok());
  EXPECT_EQ(Name(old_proxy), "");
  EXPECT_EQ(Name(new_proxy), "eve");
  // The listener is told each time, and only where something changed.
  ASSERT_TRUE(authenticator.Set(config).ok());
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_THAT(changes.back(), HasSubstr(others.ca.certificate_pem));
  EXPECT_THAT(changes.back(), HasSubstr(clients.ca.certificate_pem));
}

TEST_F(DelegatedAuthenticatorTest, WhatCannotBeTakenLeavesTheLastGoodOne) {
  ASSERT_TRUE(authenticator.Set(config).ok());
  struct Row {
    std::string_view key;
    std::function<void(DelegatedAuthenticationConfig*)> change;
  };
  const std::vector<Row> table = {
      {"client-ca-file: ", [](auto* to) { to->client_ca_pem = "nonsense"; }},
      {"client-ca-file: ", [](auto* to) { to->client_ca_pem = ""; }},
      {"requestheader-client-ca-file: ", [](auto* to) { to->request_header.ca_pem = "nonsense"; }},
      {"requestheader-client-ca-file: ", [](auto* to) { to->request_header.ca_pem = ""; }},
      {"requestheader-allowed-names: ",
       [](auto* to) { to->client_ca_pem = to->request_header.ca_pem; }},
      {"requestheader-username-headers: ",
       [](auto* to) { to->request_header.username_headers.clear(); }},
  };
  for (const Row& row : table) {
    DelegatedAuthenticationConfig changed = config;
    row.change(&changed);
    const Status status = authenticator.Set(changed);
    EXPECT_EQ(status.reason(), Reason::kBadRequest) << row.key;
    EXPECT_THAT(status.message(), StartsWith(std::string(row.key)));
    EXPECT_EQ(Name(clients.Client("ada")), "ada") << row.key;
    EXPECT_EQ(Name(proxies.Client("proxy")), "eve") << row.key;
  }
  EXPECT_EQ(changes.size(), 1u);
}

TEST_F(DelegatedAuthenticatorTest, RequestsDuringRotationsFindOneOrTheOther) {
  ASSERT_TRUE(authenticator.Set(config).ok());
  DelegatedAuthenticationConfig second = config;
  second.request_header.ca_pem += others.ca.certificate_pem;
  const tls::KeyPair proxy = proxies.Client("proxy");
  std::jthread rotating([this, second](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i)
      EXPECT_TRUE(authenticator.Set(i % 2 == 0 ? second : config).ok());
  });
  for (int i = 0; i < 300; ++i) ASSERT_EQ(Name(proxy), "eve") << i;
}

TEST_F(DelegatedAuthenticatorTest, TheConfigMapIsRead) {
  const auto read = ReadDelegatedConfig(
      Json::Of({{"data", Json::Of({{"client-ca-file", "CLIENTS"},
                                   {"requestheader-client-ca-file", "PROXIES"},
                                   {"requestheader-allowed-names", R"(["front-proxy-client"])"},
                                   {"requestheader-username-headers", R"(["X-Remote-User"])"},
                                   {"requestheader-group-headers", R"(["X-Remote-Group","X-G"])"},
                                   {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"},
                                   {"requestheader-uid-headers", R"(["X-Remote-Uid"])"}})}}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->client_ca_pem, "CLIENTS");
  const RequestHeaderConfig& headers = read->request_header;
  EXPECT_EQ(headers.ca_pem, "PROXIES");
  EXPECT_THAT(headers.allowed_names, ElementsAre("front-proxy-client"));
  EXPECT_THAT(headers.username_headers, ElementsAre("X-Remote-User"));
  EXPECT_THAT(headers.group_headers, ElementsAre("X-Remote-Group", "X-G"));
  EXPECT_THAT(headers.extra_header_prefixes, ElementsAre("X-Remote-Extra-"));
  EXPECT_THAT(headers.uid_headers, ElementsAre("X-Remote-Uid"));
  EXPECT_EQ(*ReadDelegatedConfig(Json(JsonObject())), DelegatedAuthenticationConfig());
  for (const std::string_view broken : {"[", "{}", "[1]", "X-Remote-User"}) {
    const auto refused = ReadDelegatedConfig(
        Json::Of({{"data", Json::Of({{"requestheader-uid-headers", broken}})}}));
    EXPECT_EQ(refused.status().message(), "requestheader-uid-headers: not a JSON array of strings");
  }
}

TEST_F(DelegatedAuthenticatorTest, ReviewsAreForEverybodyOrForOneAuthority) {
  const auto open = ReviewGuard::Make("", clock);
  EXPECT_TRUE((*open)->Check(http::Request()).ok());
  const auto guarded = ReviewGuard::Make(clients.ca.certificate_pem, clock);
  EXPECT_TRUE((*guarded)->Check(ShowingCertificate(clients.Client("apiserver"))).ok());
  for (const http::Request& request :
       {http::Request(), ShowingCertificate(others.Client("apiserver"))}) {
    EXPECT_EQ((*guarded)->Check(request), Status(Reason::kUnauthorized, "Unauthorized"));
  }
  EXPECT_THAT(ReviewGuard::Make("nonsense", clock).status().message(),
              StartsWith("webhook-client-ca-file: "));
}

}  // namespace
}  // namespace asyncops::apiserver
