#include "apiserver/tls/current_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "apiserver/tls/ca.h"
#include "tests/support/fake_clock.h"

namespace asyncops::tls {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CurrentCertificateTest : public testing::Test {
 protected:
  KeyPair Issue() { return IssueServingCertificate(ca_, {"localhost"}, clock_.Now()).value(); }
  CurrentCertificate Make(const KeyPair& pair) {
    return CurrentCertificate(
        pair,
        [this](const KeyPair& shown) {
          if (refuses_) return InternalError("no room");
          presented_.push_back(shown);
          return Status::Ok();
        },
        clock_);
  }

  FakeClock clock_;
  KeyPair ca_ = MakeCertificateAuthority("test-ca", clock_.Now()).value();
  bool refuses_ = false;
  std::vector<KeyPair> presented_;
};

TEST_F(CurrentCertificateTest, AnotherPairIsPresentedOnce) {
  CurrentCertificate current = Make(Issue());
  const KeyPair next = Issue();
  EXPECT_TRUE(current.Replace(next).ok());
  EXPECT_TRUE(current.Replace(next).ok());
  EXPECT_THAT(presented_, ElementsAre(next));
  EXPECT_EQ(current.pair(), next);
}

TEST_F(CurrentCertificateTest, WhatCannotBePresentedLeavesTheLastOne) {
  const KeyPair first = Issue();
  CurrentCertificate current = Make(first);
  const KeyPair other = Issue();
  struct Row {
    const char* reason;
    KeyPair pair;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"key of another", {other.certificate_pem, first.key_pem}, "does not belong"},
      {"no certificate", {"", other.key_pem}, "no PEM certificate"},
      {"a CA", ca_, "is a CA's"},
      {"ended", IssueServingCertificate(ca_, {"localhost"}, clock_.Now() - kLeafLifetime).value(),
       "ended at 2026-01-01T00:00:00Z"},
      {"not yet valid",
       IssueServingCertificate(ca_, {"localhost"}, clock_.Now() + kBackdate * 2).value(),
       "not valid before 2026-01-01T00:05:00Z"},
  };
  for (const Row& row : rows)
    EXPECT_THAT(current.Replace(row.pair).message(), HasSubstr(row.message)) << row.reason;
  refuses_ = true;
  EXPECT_THAT(current.Replace(other).message(), HasSubstr("no room"));
  EXPECT_THAT(presented_, IsEmpty());
  EXPECT_EQ(current.pair(), first);
  refuses_ = false;
  EXPECT_TRUE(current.Replace(other).ok());
}

TEST_F(CurrentCertificateTest, ItsEndIsToldBeforeItComes) {
  CurrentCertificate current = Make(Issue());
  const Time end = clock_.Now() + kLeafLifetime;
  EXPECT_EQ(current.not_after(), end);
  EXPECT_EQ(current.ExpiryTimestamp(), 1798761600.0);
  EXPECT_EQ(current.Warning(), "");

  clock_.SetNow(end - kWarnBefore + std::chrono::hours(1));
  EXPECT_EQ(current.Warning(), "the serving certificate ends in 6 days");
  EXPECT_TRUE(current.Health().ok());
  clock_.SetNow(end - std::chrono::hours(5));
  EXPECT_EQ(current.Warning(), "the serving certificate ends in 5 hours");

  clock_.SetNow(end);
  EXPECT_EQ(current.Health().reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(current.Warning(), "the serving certificate ended at 2027-01-01T00:00:00Z");
  EXPECT_TRUE(current.Replace(Issue()).ok());
  EXPECT_TRUE(current.Health().ok());
  EXPECT_EQ(current.Warning(), "");
}

}  // namespace
}  // namespace asyncops::tls
