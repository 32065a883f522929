#include "apiserver/tls/ca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::tls {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Time kNow{std::chrono::seconds(1796057273)};

TEST(CaTest, CaIsACaForTenYears) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  ASSERT_TRUE(ca.ok());
  const auto info = ReadCertificate(ca->certificate_pem);
  ASSERT_TRUE(info.ok());
  EXPECT_TRUE(info->is_ca);
  EXPECT_THAT(info->common_names, ElementsAre("test-ca"));
  EXPECT_EQ(info->not_before, kNow - kBackdate);
  EXPECT_EQ(info->not_after, kNow + kCaLifetime);
  EXPECT_TRUE(CheckKeyPair(*ca).ok());
}

TEST(CaTest, ServingCertificateHasItsNames) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  const auto serving =
      IssueServingCertificate(*ca, {"localhost", "127.0.0.1", "::1", "*.svc"}, kNow);
  ASSERT_TRUE(serving.ok());
  const auto info = ReadCertificate(serving->certificate_pem);
  ASSERT_TRUE(info.ok());
  EXPECT_THAT(info->names, ElementsAre("localhost", "127.0.0.1", "::1", "*.svc"));
  EXPECT_FALSE(info->is_ca);
  EXPECT_EQ(info->not_after, kNow + kLeafLifetime);
  EXPECT_TRUE(CheckKeyPair(*serving).ok());
  EXPECT_TRUE(IsSignedBy(*serving, *ca));
}

TEST(CaTest, NamesThatAreNoneAreRefused) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  for (const char* name : {"", "a b", "a,DNS:evil", "host:443", "300.1.1.1/8", "\xc3\xa9"}) {
    const auto serving = IssueServingCertificate(*ca, {name}, kNow);
    ASSERT_FALSE(serving.ok()) << name;
    EXPECT_EQ(serving.status().reason(), Reason::kBadRequest) << name;
  }
  EXPECT_FALSE(IssueServingCertificate(*ca, {}, kNow).ok());
}

TEST(CaTest, ClientCertificateCarriesUserAndGroups) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  const auto client = IssueClientCertificate(*ca, {"ada", {"system:masters", "ops, eu"}}, kNow);
  ASSERT_TRUE(client.ok());
  const auto info = ReadCertificate(client->certificate_pem);
  ASSERT_TRUE(info.ok());
  EXPECT_THAT(info->common_names, ElementsAre("ada"));
  EXPECT_THAT(info->organizations, ElementsAre("system:masters", "ops, eu"));
}

TEST(CaTest, ClientWithoutANameIsRefused) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  EXPECT_EQ(IssueClientCertificate(*ca, {"", {}}, kNow).status().reason(), Reason::kBadRequest);
  EXPECT_EQ(IssueClientCertificate(*ca, {"ada", {""}}, kNow).status().reason(),
            Reason::kBadRequest);
}

TEST(CaTest, EachCertificateHasAKeyAndSerialOfItsOwn) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  const auto one = IssueClientCertificate(*ca, {"ada", {}}, kNow);
  const auto two = IssueClientCertificate(*ca, {"ada", {}}, kNow);
  EXPECT_NE(one->key_pem, two->key_pem);
  EXPECT_NE(one->certificate_pem, two->certificate_pem);
}

TEST(CaTest, CaWhoseKeyIsAnothersCannotSign) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  const auto other = MakeCertificateAuthority("test-ca", kNow);
  const auto client =
      IssueClientCertificate({ca->certificate_pem, other->key_pem}, {"ada", {}}, kNow);
  ASSERT_FALSE(client.ok());
  EXPECT_THAT(client.status().message(), Not(HasSubstr("PRIVATE")));
}

TEST(CertificateTest, KeyOfAnotherCertificateIsTold) {
  const auto one = MakeCertificateAuthority("one", kNow);
  const auto two = MakeCertificateAuthority("two", kNow);
  EXPECT_THAT(CheckKeyPair({one->certificate_pem, two->key_pem}).message(),
              HasSubstr("does not belong"));
  EXPECT_THAT(CheckKeyPair({one->certificate_pem, "x"}).message(), HasSubstr("private key"));
  EXPECT_THAT(CheckKeyPair({"x", one->key_pem}).message(), HasSubstr("no PEM certificate"));
}

TEST(CertificateTest, SignatureOfAnotherCaOfTheSameNameDoesNotCount) {
  const auto ca = MakeCertificateAuthority("test-ca", kNow);
  const auto other = MakeCertificateAuthority("test-ca", kNow);
  const auto client = IssueClientCertificate(*other, {"ada", {}}, kNow);
  EXPECT_TRUE(IsSignedBy(*client, *other));
  EXPECT_FALSE(IsSignedBy(*client, *ca));
}

TEST(CertificateTest, NamesHaveOneSpelling) {
  EXPECT_EQ(CanonicalName("0:0::1"), "::1");
  EXPECT_EQ(CanonicalName("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(CanonicalName("LocalHost"), "localhost");
}

}  // namespace
}  // namespace asyncops::tls
