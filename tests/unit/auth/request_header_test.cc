#include "apiserver/auth/request_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/unit/auth/showing_certificate.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

struct RequestHeaderTest : testing::Test {
  RequestHeaderTest() {
    config.ca_pem = ca.certificate_pem;
    config.allowed_names = {"front-proxy-client"};
    config.username_headers = {"X-Remote-User", "X-Other-User"};
    config.group_headers = {"X-Remote-Group", "X-Other-Group"};
    config.extra_header_prefixes = {"X-Remote-Extra-"};
    config.uid_headers = {"X-Remote-Uid"};
  }
  std::unique_ptr<RequestHeaderAuthenticator> Make() {
    auto made = RequestHeaderAuthenticator::Make(config, "", clock);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return *std::move(made);
  }
  http::Request From(const tls::KeyPair& pair,
                     const std::vector<std::pair<std::string, std::string>>& headers) const {
    http::Request request = ShowingCertificate(pair);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    return request;
  }
  tls::KeyPair Client(const std::string& name) const {
    return tls::IssueClientCertificate(ca, {name, {"some-group"}}, clock.Now()).value();
  }
  Authentication Ask(const std::vector<std::pair<std::string, std::string>>& headers) {
    return Make()->Identify(From(proxy, headers));
  }
  std::string Refusal() const {
    const auto made = RequestHeaderAuthenticator::Make(config, client_ca.certificate_pem, clock);
    return made.ok() ? "" : made.status().message();
  }

  FakeClock clock;
  const tls::KeyPair ca = tls::MakeCertificateAuthority("proxy-ca", clock.Now()).value();
  const tls::KeyPair client_ca = tls::MakeCertificateAuthority("client-ca", clock.Now()).value();
  const tls::KeyPair proxy = Client("front-proxy-client");
  RequestHeaderConfig config;
};

TEST_F(RequestHeaderTest, TheProxyNamesTheUser) {
  const Authentication user = Ask({{"X-Remote-User", "ada"},
                                   {"x-remote-group", "dev"},
                                   {"X-Remote-Group", "ops"},
                                   {"X-REMOTE-UID", "u-1"},
                                   {"X-Remote-Extra-Example.com%2FScope", "a"},
                                   {"x-remote-extra-example.com%2fscope", "b"},
                                   {"X-Remote-Extra-bad%zz", "c"},
                                   {"X-Other-Group", "third"}});
  ASSERT_TRUE(user.ok());
  ASSERT_NE(*user, nullptr);
  EXPECT_EQ((*user)->name, "ada");
  EXPECT_EQ((*user)->uid, "u-1");
  EXPECT_THAT((*user)->groups, ElementsAre("dev", "ops", "third", "system:authenticated"));
  EXPECT_EQ((*user)->extra.size(), 2u);
  EXPECT_THAT((*user)->extra.at("example.com/scope"), ElementsAre("a", "b"));
  EXPECT_THAT((*user)->extra.at("bad%zz"), ElementsAre("c"));
}

TEST_F(RequestHeaderTest, TheFirstHeaderWithAValueNamesTheUser) {
  EXPECT_EQ((*Ask({{"X-Other-User", "bob"}}))->name, "bob");
  EXPECT_EQ((*Ask({{"X-Other-User", "bob"}, {"X-Remote-User", "ada"}}))->name, "ada");
  EXPECT_EQ((*Ask({{"X-Other-User", "bob"}, {"X-Remote-User", ""}}))->name, "bob");
  EXPECT_EQ(*Ask({{"X-Remote-Group", "dev"}}), nullptr);
  EXPECT_EQ(*Ask({{"X-Remote-User", ""}}), nullptr);
}

TEST_F(RequestHeaderTest, ARequestOfNobodyStaysOne) {
  const Authentication user =
      Ask({{"X-Remote-User", "system:anonymous"}, {"X-Remote-Group", "system:unauthenticated"}});
  EXPECT_THAT((*user)->groups, ElementsAre("system:unauthenticated"));
  EXPECT_FALSE((*Ask({{"X-Remote-User", "system:anonymous"}}))->InGroup(kAuthenticatedGroup));
}

TEST_F(RequestHeaderTest, WhatIsAmbiguousIsRefused) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> table = {
      {{"X-Remote-User", "ada"}, {"X-Remote-User", "eve"}},
      {{"X-Remote-User", "ada"}, {"x-remote-user", "ada"}},
      {{"X-Remote-User", ""}, {"X-Remote-User", "ada"}},
      {{"X-Remote-User", "ada"}, {"X-Remote-Uid", "1"}, {"X-Remote-Uid", "2"}},
      {{"X-Remote-User", "ada"}, {"Connection", "X-Remote-User"}},
      {{"X-Remote-User", "ada"}, {"Connection", "keep-alive, x-remote-group"}},
      {{"X-Remote-User", "ada"}, {"Connection", "close"}, {"Connection", "X-Remote-Extra-a"}},
  };
  for (const auto& headers : table) {
    const Authentication user = Ask(headers);
    EXPECT_EQ(user.status().reason(), Reason::kUnauthorized) << headers.back().first;
  }
  EXPECT_EQ((*Ask({{"X-Remote-User", "ada"}, {"Connection", "keep-alive"}}))->name, "ada");
}

TEST_F(RequestHeaderTest, UnderscoresMakeAnotherHeader) {
  EXPECT_EQ(*Ask({{"X_Remote_User", "eve"}}), nullptr);
  const Authentication user = Ask({{"X-Remote-User", "ada"},
                                   {"X_Remote_User", "eve"},
                                   {"X_Remote_Group", "system:masters"},
                                   {"X-Remote_Group", "system:masters"},
                                   {"X_Remote-Extra-a", "b"}});
  EXPECT_EQ((*user)->name, "ada");
  EXPECT_THAT((*user)->groups, ElementsAre("system:authenticated"));
  EXPECT_TRUE((*user)->extra.empty());
}

TEST_F(RequestHeaderTest, NobodyElsesHeadersAreLookedAt) {
  const auto strange_ca = tls::MakeCertificateAuthority("proxy-ca", clock.Now());
  const auto stranger =
      tls::IssueClientCertificate(*strange_ca, {"front-proxy-client", {}}, clock.Now());
  const auto serving = tls::IssueServingCertificate(ca, {"front-proxy-client"}, clock.Now());
  const auto old = tls::IssueClientCertificate(ca, {"front-proxy-client", {}},
                                               clock.Now() - 2 * tls::kLeafLifetime);
  const auto authenticator = Make();
  for (const tls::KeyPair& pair :
       {*stranger, *serving, *old, Client("somebody"), Client("Front-Proxy-Client"), ca}) {
    // Twice: what is remembered is a refusal, too.
    for (int i = 0; i < 2; ++i) {
      const Authentication user = authenticator->Identify(
          From(pair, {{"X-Remote-User", "eve"}, {"X-Remote-User", "twice"}}));
      ASSERT_TRUE(user.ok());
      EXPECT_EQ(*user, nullptr);
    }
  }
  http::Request bare;
  bare.headers.Add("X-Remote-User", "eve");
  EXPECT_EQ(*authenticator->Identify(bare), nullptr);
}

TEST_F(RequestHeaderTest, WithoutAllowedNamesAnyIsGoodEnough) {
  config.allowed_names.clear();
  EXPECT_EQ((*Make()->Identify(From(Client("any"), {{"X-Remote-User", "ada"}})))->name, "ada");
}

TEST_F(RequestHeaderTest, TheProxyIsOneUntilItsCertificateEnds) {
  const auto authenticator = Make();
  const http::Request request = From(proxy, {{"X-Remote-User", "ada"}});
  EXPECT_NE(*authenticator->Identify(request), nullptr);
  clock.Advance(tls::kLeafLifetime + std::chrono::hours(1));
  EXPECT_EQ(*authenticator->Identify(request), nullptr);
}

TEST_F(RequestHeaderTest, ConfigurationsThatCannotBeSayWhatIsWrong) {
  const RequestHeaderConfig good = config;
  EXPECT_EQ(Refusal(), "");
  config.ca_pem = "nonsense";
  EXPECT_THAT(Refusal(), StartsWith("requestheader-client-ca-file: "));
  config = good;
  config.username_headers.clear();
  EXPECT_THAT(Refusal(), StartsWith("requestheader-username-headers: "));
  config.username_headers = {"X Remote User"};
  EXPECT_THAT(Refusal(), StartsWith("requestheader-username-headers: "));
  config = good;
  config.group_headers = {""};
  EXPECT_THAT(Refusal(), StartsWith("requestheader-group-headers: "));
  config = good;
  config.extra_header_prefixes = {""};
  EXPECT_THAT(Refusal(), StartsWith("requestheader-extra-headers-prefix: "));
  config = good;
  config.uid_headers = {"X:Y"};
  EXPECT_THAT(Refusal(), StartsWith("requestheader-uid-headers: "));
}

// Any client of the cluster could name anybody.
TEST_F(RequestHeaderTest, OneAuthorityForBothNeedsAllowedNames) {
  config.ca_pem = ca.certificate_pem + client_ca.certificate_pem;
  EXPECT_EQ(Refusal(), "");
  config.allowed_names.clear();
  EXPECT_THAT(Refusal(), StartsWith("requestheader-allowed-names: "));
  std::string spaced = client_ca.certificate_pem;
  for (std::size_t at = 0; (at = spaced.find('\n', at)) != std::string::npos; at += 2)
    spaced.replace(at, 1, "\r\n");
  config.ca_pem = spaced;
  EXPECT_THAT(Refusal(), StartsWith("requestheader-allowed-names: "));
  config.ca_pem = ca.certificate_pem;
  EXPECT_EQ(Refusal(), "");
}

}  // namespace
}  // namespace asyncops::apiserver
