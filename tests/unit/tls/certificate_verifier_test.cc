#include "apiserver/tls/certificate_verifier.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"

namespace asyncops::tls {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

constexpr Time kNow{std::chrono::seconds(1796057273)};

std::string Der(const std::string& pem) {
  const std::size_t begin = pem.find('\n') + 1;
  std::string text = pem.substr(begin, pem.find("-----END") - begin);
  std::erase(text, '\n');
  return Base64Decode(text).value_or("");
}

http::PeerCertificate Shown(const KeyPair& pair) {
  return {.leaf_der = Der(pair.certificate_pem), .chain_der = {}, .fingerprint = {}};
}

class CertificateVerifierTest : public testing::Test {
 protected:
  Result<VerifiedCertificate> Verify(const KeyPair& client, Time at = kNow) const {
    const auto verifier = CertificateVerifier::Make(ca_.certificate_pem);
    EXPECT_TRUE(verifier.ok());
    return (*verifier)->Verify(Shown(client), at);
  }

  KeyPair ca_ = MakeCertificateAuthority("test-ca", kNow).value();
  KeyPair other_ca_ = MakeCertificateAuthority("test-ca", kNow).value();
};

TEST_F(CertificateVerifierTest, ClientOfTheCaIsItsSubject) {
  const KeyPair client = *IssueClientCertificate(ca_, {"ada", {"ops", "dev"}}, kNow);
  const auto verified = Verify(client);
  ASSERT_TRUE(verified.ok()) << verified.status().ToString();
  EXPECT_EQ(verified->subject, (Subject{"ada", {"ops", "dev"}}));
  EXPECT_EQ(verified->valid_from, kNow - kBackdate);
  EXPECT_EQ(verified->valid_until, kNow + kLeafLifetime);
}

TEST_F(CertificateVerifierTest, OthersAreUnauthorized) {
  struct Case {
    KeyPair client;
    Time at;
    const char* message;
    const char* reason;
  };
  const KeyPair client = *IssueClientCertificate(ca_, {"ada", {}}, kNow);
  const Case cases[] = {
      {client, kNow + kLeafLifetime + hours(1), "expired", "after its end"},
      {client, kNow - hours(1), "not yet valid", "before its start"},
      {*IssueClientCertificate(other_ca_, {"ada", {}}, kNow), kNow, "",
       "a CA of the same name with another key"},
      {*MakeCertificateAuthority("ada", kNow), kNow, "", "signed by itself"},
      {*IssueServingCertificate(ca_, {"ada"}, kNow), kNow, "", "for servers alone"},
      {ca_, kNow, "clientAuth", "the CA itself, which names no purpose"},
      {*IssueClientCertificate(ca_, {"a\nb", {}}, kNow), kNow, "control", "a line break"},
      {*IssueClientCertificate(ca_, {"ada", {std::string("a\0b", 3)}}, kNow), kNow, "control",
       "a NUL in a group"},
  };
  for (const Case& c : cases) {
    const auto verified = Verify(c.client, c.at);
    ASSERT_FALSE(verified.ok()) << c.reason;
    EXPECT_EQ(verified.status().reason(), Reason::kUnauthorized) << c.reason;
    EXPECT_THAT(verified.status().message(), HasSubstr(c.message)) << c.reason;
  }
}

TEST_F(CertificateVerifierTest, ExpiredCaEndsItsClients) {
  const KeyPair client = *IssueClientCertificate(ca_, {"ada", {}}, kNow + kCaLifetime);
  EXPECT_TRUE(Verify(client, kNow + kCaLifetime - std::chrono::minutes(1)).ok());
  const auto verified = Verify(client, kNow + kCaLifetime + hours(1));
  ASSERT_FALSE(verified.ok());
  EXPECT_THAT(verified.status().message(), HasSubstr("expired"));
}

TEST_F(CertificateVerifierTest, ValidityIsThatOfTheWholeChain) {
  const KeyPair client = *IssueClientCertificate(ca_, {"ada", {}}, kNow + kCaLifetime - hours(24));
  const auto verified = Verify(client, kNow + kCaLifetime - hours(1));
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ(verified->valid_until, kNow + kCaLifetime);
}

TEST_F(CertificateVerifierTest, MalformedBytesAreUnauthorized) {
  const auto verifier = CertificateVerifier::Make(ca_.certificate_pem);
  const KeyPair client = *IssueClientCertificate(ca_, {"ada", {}}, kNow);
  http::PeerCertificate cut = Shown(client);
  cut.leaf_der.pop_back();
  http::PeerCertificate longer = Shown(client);
  longer.leaf_der.push_back('x');
  http::PeerCertificate chain = Shown(client);
  chain.chain_der.push_back("x");
  for (const auto& peer : {http::PeerCertificate{}, cut, longer, chain}) {
    EXPECT_EQ((*verifier)->Verify(peer, kNow).status().reason(), Reason::kUnauthorized);
  }
}

TEST_F(CertificateVerifierTest, EachCertificateOfTheBundleIsAnAnchor) {
  const auto verifier = CertificateVerifier::Make(other_ca_.certificate_pem + ca_.certificate_pem);
  ASSERT_TRUE(verifier.ok());
  for (const KeyPair& ca : {ca_, other_ca_}) {
    const KeyPair client = *IssueClientCertificate(ca, {"ada", {}}, kNow);
    EXPECT_TRUE((*verifier)->Verify(Shown(client), kNow).ok());
  }
}

TEST_F(CertificateVerifierTest, CertificateIsItsOwnAnchorOnlyForItsPurpose) {
  const KeyPair serving = *IssueServingCertificate(ca_, {"ada"}, kNow);
  const auto verifier = CertificateVerifier::Make(serving.certificate_pem);
  ASSERT_TRUE(verifier.ok());
  EXPECT_FALSE((*verifier)->Verify(Shown(serving), kNow).ok());
}

TEST_F(CertificateVerifierTest, BundleThatHoldsNothingOrABrokenPartIsRefused) {
  EXPECT_FALSE(CertificateVerifier::Make("").ok());
  EXPECT_FALSE(CertificateVerifier::Make("no pem").ok());
  std::string cut = ca_.certificate_pem + ca_.certificate_pem;
  cut.erase(cut.size() - 40);
  const auto broken = CertificateVerifier::Make(cut);
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.status().message(), HasSubstr("certificate 2"));
}

}  // namespace
}  // namespace asyncops::tls
