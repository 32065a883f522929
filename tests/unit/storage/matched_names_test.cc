#include "storage/sqlite/matched_names.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/unit/storage/list_of.h"

namespace asyncops::storage {
namespace {

// "ns/name" of each, with "@" and the revision where it is known.
std::string Walk(const MatchedNames& names, const NameView& after = {},
                 std::string_view namespace_name = "") {
  std::string seen;
  NameWalk walk = names.After(after, namespace_name);
  while (const auto next = walk.Next()) {
    if (!seen.empty()) seen += " ";
    seen.append(next->view.namespace_name).append("/").append(next->view.name);
    if (const Revision revision = names.RevisionOf(*next)) seen += "@" + std::to_string(revision);
  }
  return seen;
}

// Tells the revision of the first name after `after`.
void Learn(const MatchedNames& names, const NameView& after, Revision revision) {
  NameWalk walk = names.After(after, "");
  const auto next = walk.Next();
  ASSERT_TRUE(next.has_value());
  names.Learn(*next, revision);
}

TEST(MatchedNamesTest, SpanBeginsWithTheLookupAndGrowsWithTheChanges) {
  const MatchedNames found(ListOf({{"a", "1"}}), 7);
  EXPECT_FALSE(found.Covers(6));
  EXPECT_TRUE(found.Covers(7));
  EXPECT_FALSE(found.Covers(8));
  const MatchedNames later(found, {}, 9);
  EXPECT_FALSE(later.Covers(6));
  EXPECT_TRUE(later.Covers(7));
  EXPECT_TRUE(later.Covers(9));
  EXPECT_FALSE(later.Covers(10));
}

TEST(MatchedNamesTest, WhatCameStandsInOrderBetweenWhatWasFound) {
  const MatchedNames found(ListOf({{"a", "2"}, {"a", "4"}, {"b", "1"}}), 1);
  const MatchedNames once(found, {.came = {{"a", "3"}, {"b", "9"}}, .moved = {}}, 2);
  const MatchedNames twice(once, {.came = {{"", "x"}, {"a", "5"}, {"b", "2"}}, .moved = {}}, 3);
  EXPECT_EQ(Walk(found), "a/2 a/4 b/1");
  EXPECT_EQ(Walk(once), "a/2 a/3 a/4 b/1 b/9");
  EXPECT_EQ(Walk(twice), "/x a/2 a/3 a/4 a/5 b/1 b/2 b/9");
  EXPECT_EQ(twice.size(), 8U);
  EXPECT_TRUE(twice.Came({"a", "3"}));
  EXPECT_FALSE(twice.Came({"a", "4"}));
  EXPECT_EQ(twice.Known({"a", "4"}), 1U);
  EXPECT_EQ(twice.Known({"a", "3"}), std::nullopt);
}

TEST(MatchedNamesTest, WalkBeginsAfterANameAndStaysInANamespace) {
  const MatchedNames found(ListOf({{"a", "1"}, {"b", "1"}, {"b", "3"}, {"bb", "1"}}), 1);
  const MatchedNames names(found, {.came = {{"b", "2"}, {"c", "1"}}, .moved = {}}, 2);
  EXPECT_EQ(Walk(names, {"b", "1"}), "b/2 b/3 bb/1 c/1");
  EXPECT_EQ(Walk(names, {"b", "11"}), "b/2 b/3 bb/1 c/1");
  EXPECT_EQ(Walk(names, {}, "b"), "b/1 b/2 b/3");
  EXPECT_EQ(Walk(names, {"b", "2"}, "b"), "b/3");
  EXPECT_EQ(Walk(names, {"a", "9"}, "b"), "b/1 b/2 b/3");
  EXPECT_EQ(Walk(names, {"b", "3"}, "b"), "");
  EXPECT_EQ(Walk(names, {}, "d"), "");
  EXPECT_EQ(names.Count(""), 6U);
  EXPECT_EQ(names.Count("b"), 3U);
  EXPECT_EQ(names.Count("bb"), 1U);
  EXPECT_EQ(names.Count("aa"), 0U);
}

TEST(MatchedNamesTest, RevisionThatWasToldIsKnownToAllThatWereMadeOfIt) {
  const MatchedNames found(ListOf({{"a", "1"}, {"a", "2"}}), 10);
  const MatchedNames later(found, {.came = {{"a", "3"}}, .moved = {}}, 20);
  EXPECT_EQ(Walk(found), "a/1 a/2");
  Learn(later, {"a", "1"}, 5);
  EXPECT_EQ(Walk(found), "a/1 a/2@5");
  EXPECT_EQ(Walk(later), "a/1 a/2@5 a/3");
}

TEST(MatchedNamesTest, RevisionOfWhatChangedWithinTheSpanIsUnknown) {
  const MatchedNames found(ListOf({{"a", "1"}, {"a", "2"}}), 10);
  Learn(found, {}, 5);
  Learn(found, {"a", "1"}, 6);
  const MatchedNames later(found, {.came = {}, .moved = {1, 1}}, 20);
  EXPECT_EQ(Walk(found), "a/1@5 a/2@6");
  EXPECT_EQ(Walk(later), "a/1@5 a/2");
  // Nor does it become known by what is told of a later state.
  Learn(later, {"a", "1"}, 15);
  EXPECT_EQ(Walk(later), "a/1@5 a/2");
  EXPECT_EQ(Walk(found), "a/1@5 a/2@6");
}

TEST(MatchedNamesTest, NewerRevisionThanTheFirstStateIsNotKept) {
  const MatchedNames found(ListOf({{"a", "1"}}), 10);
  Learn(found, {}, 11);
  EXPECT_EQ(Walk(found), "a/1");
  Learn(found, {}, 10);
  EXPECT_EQ(Walk(found), "a/1@10");
}

TEST(MatchedNamesTest, IsWornWhereHalfOfItChangedEachCountedOnce) {
  const MatchedNames found(ListOf({{"a", "1"}, {"a", "2"}, {"a", "3"}, {"a", "4"}}), 1);
  const MatchedNames one(found, {.came = {}, .moved = {0, 0, 0}}, 2);
  const MatchedNames two(one, {.came = {{"a", "5"}}, .moved = {0}}, 3);
  const MatchedNames three(two, {.came = {}, .moved = {3}}, 4);
  EXPECT_FALSE(found.IsWorn());
  EXPECT_FALSE(one.IsWorn());
  EXPECT_FALSE(two.IsWorn());
  EXPECT_TRUE(three.IsWorn());
}

}  // namespace
}  // namespace asyncops::storage
