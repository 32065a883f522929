#include "apiserver/tls/self_signed_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "apiserver/tls/ca.h"
#include "base/encoding.h"
#include "base/rfc3339.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/tls/trust.h"

namespace asyncops::tls {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kNames = {"asyncops.asyncops-system.svc", "localhost"};

class SelfSignedSetTest : public testing::Test {
 protected:
  SelfSignedPlan Plan(bool trusted = true) const {
    return {.names = kNames, .now = clock_.Now(), .bundle_is_trusted = trusted};
  }
  SelfSignedSet Renew(const SelfSignedSet& set, bool trusted = true) const {
    return RenewSelfSignedSet(set, Plan(trusted)).value();
  }
  CertificateInfo Serving(const SelfSignedSet& set) const {
    return ReadCertificate(set.serving.certificate_pem).value();
  }

  FakeClock clock_;
  SelfSignedSet first_ = MakeSelfSignedSet(Plan()).value();
};

TEST_F(SelfSignedSetTest, ANewSetServesTheNamesAndIsTrustedByItsBundle) {
  EXPECT_THAT(Serving(first_).names, ElementsAre("asyncops.asyncops-system.svc", "localhost"));
  EXPECT_TRUE(IsTrusted(first_.serving, first_.Bundle(), clock_.Now()));
  EXPECT_EQ(Renew(first_), first_);
}

TEST_F(SelfSignedSetTest, TheServingCertificateIsRenewedAtTwoThirdsOfItsLife) {
  clock_.Advance(kLeafLifetime * 2 / 3 - std::chrono::hours(1));
  EXPECT_EQ(Renew(first_), first_);
  clock_.Advance(std::chrono::hours(2));
  const SelfSignedSet next = Renew(first_);
  EXPECT_NE(next.serving, first_.serving);
  EXPECT_EQ(next.signing, first_.signing);
  EXPECT_EQ(next.Bundle(), first_.Bundle());
  EXPECT_TRUE(IsTrusted(next.serving, first_.Bundle(), clock_.Now()));
}

TEST_F(SelfSignedSetTest, OtherNamesRenewTheServingCertificateAlone) {
  SelfSignedPlan plan = Plan();
  plan.names = {"ASYNCOPS.asyncops-system.svc", "127.0.0.1"};
  const SelfSignedSet next = RenewSelfSignedSet(first_, plan).value();
  EXPECT_THAT(Serving(next).names, ElementsAre("ASYNCOPS.asyncops-system.svc", "127.0.0.1"));
  EXPECT_EQ(next.signing, first_.signing);
}

TEST_F(SelfSignedSetTest, AServingCertificateOfAnotherCaIsIssuedAnew) {
  SelfSignedSet mixed = first_;
  mixed.serving = MakeSelfSignedSet(Plan())->serving;
  const SelfSignedSet next = Renew(mixed);
  EXPECT_TRUE(IsTrusted(next.serving, first_.Bundle(), clock_.Now()));
}

TEST_F(SelfSignedSetTest, ASuccessorSignsOnlyWhenItIsKnownToBeTrusted) {
  clock_.Advance(kCaLifetime * 2 / 3);
  const SelfSignedSet published = Renew(first_);
  ASSERT_TRUE(published.successor);
  EXPECT_EQ(published.signing, first_.signing);
  EXPECT_TRUE(IsTrusted(published.serving, first_.Bundle(), clock_.Now()));
  EXPECT_EQ(Certificates(published.Bundle()).size(), 2u);

  // Too early, and then not seen to be trusted.
  clock_.Advance(kPublishedBefore - std::chrono::minutes(1));
  EXPECT_EQ(Renew(published), published);
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(Renew(published, false), published);

  const SelfSignedSet taken_over = Renew(published);
  EXPECT_EQ(taken_over.signing, *published.successor);
  EXPECT_FALSE(taken_over.successor);
  ASSERT_TRUE(taken_over.retired);
  EXPECT_EQ(taken_over.retired->until, Serving(published).not_after);
  // By both: whoever has the old bundle or the new one.
  EXPECT_TRUE(IsTrusted(taken_over.serving, published.Bundle(), clock_.Now()));
  EXPECT_TRUE(IsTrusted(published.serving, taken_over.Bundle(), clock_.Now()));

  clock_.SetNow(taken_over.retired->until - std::chrono::seconds(1));
  EXPECT_TRUE(Renew(taken_over).retired);
  clock_.SetNow(taken_over.retired->until);
  EXPECT_FALSE(Renew(taken_over).retired);
}

TEST_F(SelfSignedSetTest, ASuccessorThatIsNeverSeenTrustedTakesOverAtTheEnd) {
  clock_.Advance(kCaLifetime * 2 / 3);
  const SelfSignedSet published = Renew(first_);
  clock_.Advance(kCaLifetime / 3 + std::chrono::hours(1));
  const SelfSignedSet late = Renew(published, false);
  EXPECT_EQ(late.signing, *published.successor);
  EXPECT_TRUE(IsTrusted(late.serving, published.Bundle(), clock_.Now()));
}

TEST_F(SelfSignedSetTest, WhatNobodyCanTrustAnyMoreIsMadeAnew) {
  clock_.Advance(kCaLifetime + std::chrono::hours(1));
  const SelfSignedSet later = Renew(first_);
  EXPECT_NE(later.signing, first_.signing);
  EXPECT_TRUE(IsTrusted(later.serving, later.Bundle(), clock_.Now()));
  // A clock that was wrong when it was made.
  clock_.SetNow(Time(std::chrono::hours(24 * 365)));
  const SelfSignedSet earlier = Renew(first_);
  EXPECT_TRUE(IsTrusted(earlier.serving, earlier.Bundle(), clock_.Now()));
}

TEST_F(SelfSignedSetTest, ForThirtyYearsWhatIsTrustedCoversWhatIsServed) {
  // Clients see a bundle one look late, and looks are rare.
  const Time end = clock_.Now() + std::chrono::hours(24 * 365 * 30);
  SelfSignedSet set = first_;
  std::string seen = set.Bundle();
  std::string published = seen;
  std::set<std::string> authorities;
  std::set<std::string> leaves;
  while (clock_.Now() < end) {
    clock_.Advance(std::chrono::hours(24 * 20));
    seen = published;
    set = Renew(set, seen == set.Bundle());
    published = set.Bundle();
    authorities.insert(set.signing.certificate_pem);
    leaves.insert(set.serving.certificate_pem);
    ASSERT_TRUE(IsTrusted(set.serving, seen, clock_.Now())) << FormatTime(clock_.Now());
    ASSERT_TRUE(IsTrusted(set.serving, published, clock_.Now())) << FormatTime(clock_.Now());
    ASSERT_LE(Certificates(published).size(), 3u);
    const Time ends = Serving(set).not_after;
    ASSERT_GT(ends - clock_.Now(), kLeafLifetime / 4);
    const auto ca = ReadCertificate(set.signing.certificate_pem);
    ASSERT_LE(ends, ca->not_after) << "outlives its CA";
  }
  EXPECT_EQ(authorities.size(), 5u);
  EXPECT_THAT(leaves.size(), testing::AllOf(testing::Ge(42u), testing::Le(50u)));
}

TEST_F(SelfSignedSetTest, ASecretHoldsAllOfIt) {
  clock_.Advance(kCaLifetime * 2 / 3);
  const SelfSignedSet published = Renew(first_);
  clock_.Advance(kPublishedBefore);
  const SelfSignedSet taken_over = Renew(published);
  for (const SelfSignedSet& set : {first_, published, taken_over}) {
    const Json data = EncodeSelfSignedData(set);
    EXPECT_EQ(DecodeSelfSignedData(data).value(), set);
    EXPECT_EQ(Base64Decode(data.StringAt({"ca.crt"})), set.Bundle());
    EXPECT_EQ(Base64Decode(data.StringAt({"tls.crt"})), set.serving.certificate_pem);
    EXPECT_EQ(Base64Decode(data.StringAt({"tls.key"})), set.serving.key_pem);
  }
  // The retired CA's key is nowhere any more.
  const std::string text = EncodeJson(EncodeSelfSignedData(taken_over));
  EXPECT_THAT(text, Not(HasSubstr(Base64Encode(first_.signing.key_pem))));
}

TEST_F(SelfSignedSetTest, WhatDoesNotReadIsNamedAndItsBytesAreNot) {
  clock_.Advance(kCaLifetime * 2 / 3);
  const SelfSignedSet published = Renew(first_);
  clock_.Advance(kPublishedBefore);
  const Json whole = EncodeSelfSignedData(Renew(published));
  ASSERT_TRUE(DecodeSelfSignedData(whole).ok());
  struct Row {
    const char* member;
    Json value;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"tls.crt", "", "tls.crt is missing"},
      {"tls.key", "%%%", "tls.key is missing, empty or no base64"},
      {"tls.key", Base64Encode(first_.signing.key_pem), "tls: the private key does not belong"},
      {"signing-ca.crt", Base64Encode("hunter2"), "signing-ca: holds no PEM certificate"},
      {"signing-ca.key", 7, "signing-ca.key is missing"},
      {"successor-ca.crt", Base64Encode("hunter2"), "successor-ca.key is missing"},
      {"retired-ca.crt", Base64Encode("hunter2"), "retired-ca.crt: holds no PEM certificate"},
      {"retired-ca-until", Base64Encode("hunter2"), "retired-ca-until is no time"},
  };
  for (const Row& row : rows) {
    Json data = whole;
    data.Set(row.member, row.value);
    const std::string message = DecodeSelfSignedData(data).status().message();
    EXPECT_THAT(message, HasSubstr(row.message));
    EXPECT_THAT(message, Not(HasSubstr("hunter2")));
  }
  EXPECT_FALSE(DecodeSelfSignedData(Json()).ok());
}

TEST_F(SelfSignedSetTest, ANameThatIsNoneIsRefused) {
  SelfSignedPlan plan = Plan();
  plan.names = {"a b"};
  EXPECT_THAT(MakeSelfSignedSet(plan).status().message(), HasSubstr("\"a b\" is neither"));
}

}  // namespace
}  // namespace asyncops::tls
