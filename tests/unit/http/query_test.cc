#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/http/request.h"

namespace asyncops::http {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(QueryTest, ParametersAreDecodedAndKeepTheirOrder) {
  const auto query = Query::Parse("fieldSelector=metadata.name%3Dx&limit=500&a+b=c+d");
  ASSERT_TRUE(query.has_value());
  EXPECT_THAT(query->all(), ElementsAre(Pair("fieldSelector", "metadata.name=x"),
                                        Pair("limit", "500"), Pair("a b", "c d")));
}

TEST(QueryTest, RepeatedParametersAreAllKept) {
  const auto query = Query::Parse("dryRun=All&x=1&dryRun=None");
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->Get("dryRun"), "All");
  EXPECT_THAT(query->GetAll("dryRun"), ElementsAre("All", "None"));
}

TEST(QueryTest, KeyWithoutEqualsHasAnEmptyValue) {
  const auto query = Query::Parse("watch&pretty=");
  ASSERT_TRUE(query.has_value());
  EXPECT_TRUE(query->Has("watch"));
  EXPECT_EQ(query->Get("watch"), "");
  EXPECT_TRUE(query->Has("pretty"));
  EXPECT_FALSE(query->Has("Watch"));
}

TEST(QueryTest, EmptyPiecesAreSkippedAndOnlyTheFirstEqualsSplits) {
  const auto query = Query::Parse("&&labelSelector=a=b,c!=d&");
  ASSERT_TRUE(query.has_value());
  EXPECT_THAT(query->all(), ElementsAre(Pair("labelSelector", "a=b,c!=d")));
}

TEST(QueryTest, BrokenEscapesAreRefused) {
  struct Case {
    const char* text;
    const char* reason;
  };
  for (const Case& c : {Case{"a=%", "cut off"}, Case{"a=%2", "one digit"},
                        Case{"a=%zz", "no digits"}, Case{"%G1=x", "in the name"}}) {
    EXPECT_FALSE(Query::Parse(c.text).has_value()) << c.reason;
  }
}

}  // namespace
}  // namespace asyncops::http
