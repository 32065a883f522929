#include "base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace asyncops {
namespace {

using ::testing::MatchesRegex;

TEST(RandomIdsTest, UuidIsOfVersion4) {
  RandomIds ids;
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(
        ids.Uuid(),
        MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
}

TEST(RandomIdsTest, UuidsDiffer) {
  RandomIds ids;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(ids.Uuid());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(RandomIdsTest, TokenIsHexOfTheGivenLength) {
  RandomIds ids;
  EXPECT_THAT(ids.Token(16), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(ids.Token(0), "");
  EXPECT_NE(ids.Token(16), ids.Token(16));
}

TEST(RandomIdsTest, NameSuffixUsesAllOfKubernetesAlphabetAndNothingElse) {
  RandomIds ids;
  std::set<char> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string suffix = ids.NameSuffix();
    EXPECT_THAT(suffix, MatchesRegex("[bcdfghjklmnpqrstvwxz2456789]{5}"));
    seen.insert(suffix.begin(), suffix.end());
  }
  EXPECT_EQ(seen.size(), 27U) << "5000 draws miss a character once in 10^80";
}

TEST(RandomIdsTest, FractionIsInTheHalfOpenUnitInterval) {
  RandomIds ids;
  double least = 1;
  double greatest = 0;
  for (int i = 0; i < 1000; ++i) {
    const double fraction = ids.Fraction();
    ASSERT_GE(fraction, 0);
    ASSERT_LT(fraction, 1);
    least = std::min(least, fraction);
    greatest = std::max(greatest, fraction);
  }
  // Missed once in 10^45.
  EXPECT_LT(least, 0.1);
  EXPECT_GT(greatest, 0.9);
}

}  // namespace
}  // namespace asyncops
