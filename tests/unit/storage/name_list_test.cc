#include "storage/name_list.h"

#include <gtest/gtest.h>

#include "tests/unit/storage/list_of.h"

namespace asyncops::storage {
namespace {

TEST(NameListTest, NamesAreReadBackAsTheyWereAdded) {
  NameList list = ListOf({{"", "cluster"}, {"a", "1"}, {"a", "10"}, {"ab", "1"}});
  list.ShrinkToFit();
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list.at(0), (NameView{"", "cluster"}));
  EXPECT_EQ(list.at(1), (NameView{"a", "1"}));
  EXPECT_EQ(list.at(2), (NameView{"a", "10"}));
  EXPECT_EQ(list.at(3), (NameView{"ab", "1"}));
}

TEST(NameListTest, NameThatComesAgainIsThereOnce) {
  const NameList list = ListOf({{"a", "b"}, {"a", "b"}, {"ab", ""}, {"ab", ""}});
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.at(1), (NameView{"ab", ""}));
}

TEST(NameListTest, NamespaceAndNameAreToldApartWhereTheirTextsJoinToTheSame) {
  const NameList list = ListOf({{"a", "bc"}, {"ab", "c"}});
  EXPECT_EQ(list.size(), 2U);
  EXPECT_TRUE(list.Contains({"a", "bc"}));
  EXPECT_TRUE(list.Contains({"ab", "c"}));
  EXPECT_FALSE(list.Contains({"abc", ""}));
  EXPECT_FALSE(list.Contains({"", "abc"}));
}

TEST(NameListTest, BoundsCountWhatIsLessAndWhatIsNotGreater) {
  const NameList list = ListOf({{"a", "2"}, {"a", "4"}, {"b", "1"}});
  struct Row {
    const char* reason;
    NameView name;
    std::size_t lower;
    std::size_t upper;
  };
  const Row rows[] = {
      {"before all", {"", "z"}, 0, 0},   {"the first", {"a", "2"}, 0, 1},
      {"between two", {"a", "3"}, 1, 1}, {"the next namespace", {"b", ""}, 2, 2},
      {"the last", {"b", "1"}, 2, 3},    {"behind all", {"b", "10"}, 3, 3},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(list.LowerBound(row.name), row.lower) << row.reason;
    EXPECT_EQ(list.UpperBound(row.name), row.upper) << row.reason;
    EXPECT_EQ(list.Contains(row.name), row.lower != row.upper) << row.reason;
  }
}

TEST(NameListTest, EmptyListHasNothing) {
  const NameList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.UpperBound({"a", "b"}), 0U);
  EXPECT_FALSE(list.Contains({"", ""}));
}

}  // namespace
}  // namespace asyncops::storage
