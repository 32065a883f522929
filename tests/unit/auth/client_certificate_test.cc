#include "apiserver/auth/client_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/unit/auth/showing_certificate.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;

struct ClientCertificateTest : testing::Test {
  ClientCertificateTest() {
    std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers;
    for (const tls::KeyPair* each : {&ca, &second_ca})
      verifiers.push_back(tls::CertificateVerifier::Make(each->certificate_pem).value());
    authenticator = std::make_unique<ClientCertificateAuthenticator>(std::move(verifiers), clock);
  }

  FakeClock clock;
  const tls::KeyPair ca = tls::MakeCertificateAuthority("a", clock.Now()).value();
  const tls::KeyPair second_ca = tls::MakeCertificateAuthority("b", clock.Now()).value();
  std::unique_ptr<ClientCertificateAuthenticator> authenticator;
};

TEST_F(ClientCertificateTest, TheCommonNameIsTheUserAndOrganizationsAreGroups) {
  const auto client =
      tls::IssueClientCertificate(ca, {"ada", {"ops", "system:masters"}}, clock.Now());
  const auto user = authenticator->Identify(ShowingCertificate(*client, "f1"));
  ASSERT_TRUE(user.ok());
  ASSERT_NE(*user, nullptr);
  EXPECT_EQ((*user)->name, "ada");
  EXPECT_THAT((*user)->groups, ElementsAre("ops", "system:masters", "system:authenticated"));
}

TEST_F(ClientCertificateTest, AnyOfTheAuthoritiesMaySpeak) {
  const auto client = tls::IssueClientCertificate(second_ca, {"bob", {}}, clock.Now());
  EXPECT_EQ((*authenticator->Identify(ShowingCertificate(*client, "f1")))->name, "bob");
}

TEST_F(ClientCertificateTest, OthersArePassedOver) {
  const auto stranger = tls::MakeCertificateAuthority("a", clock.Now());
  const auto client = tls::IssueClientCertificate(*stranger, {"eve", {}}, clock.Now());
  EXPECT_EQ(*authenticator->Identify(ShowingCertificate(*client, "f1")), nullptr);
  EXPECT_EQ(*authenticator->Identify(http::Request()), nullptr);
  const auto serving = tls::IssueServingCertificate(ca, {"localhost"}, clock.Now());
  EXPECT_EQ(*authenticator->Identify(ShowingCertificate(*serving, "f2")), nullptr);
}

TEST_F(ClientCertificateTest, WhatIsRememberedEndsWithTheCertificate) {
  const auto client = tls::IssueClientCertificate(ca, {"ada", {}}, clock.Now());
  const http::Request request = ShowingCertificate(*client, "f1");
  const UserPointer first = *authenticator->Identify(request);
  EXPECT_EQ(*authenticator->Identify(request), first);
  clock.Advance(tls::kLeafLifetime + std::chrono::hours(1));
  EXPECT_EQ(*authenticator->Identify(request), nullptr);
}

TEST_F(ClientCertificateTest, ManyCertificatesDoNotGrowTheMemoryForEver) {
  const auto client = tls::IssueClientCertificate(ca, {"ada", {}}, clock.Now());
  for (int i = 0; i < 1100; ++i) {
    const auto user = authenticator->Identify(ShowingCertificate(*client, "f" + std::to_string(i)));
    ASSERT_EQ((*user)->name, "ada") << i;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
