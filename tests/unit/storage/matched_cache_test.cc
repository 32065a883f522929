#include "storage/sqlite/matched_cache.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace asyncops::storage {
namespace {

std::shared_ptr<const MatchedNames> NamesOf(int count, Revision at) {
  NameList names;
  for (int i = 0; i < count; ++i) names.Append({"a", std::to_string(1000 + i)});
  return std::make_shared<const MatchedNames>(std::move(names), at);
}

// Room for so many of these names.
std::size_t BytesOf(int count) { return NamesOf(count, 1)->bytes(); }

MatchedKey Key(std::int64_t mark) { return {.resource = 1, .marks = {mark}}; }

TEST(MatchedCacheTest, NamesAreFoundByResourceAndMarks) {
  MatchedCache cache(BytesOf(100));
  const auto names = NamesOf(3, 5);
  cache.Keep({.resource = 1, .marks = {2, 3}}, names);
  EXPECT_EQ(cache.Find({.resource = 1, .marks = {2, 3}}), names);
  EXPECT_EQ(cache.Find({.resource = 2, .marks = {2, 3}}), nullptr);
  EXPECT_EQ(cache.Find({.resource = 1, .marks = {2}}), nullptr);
}

TEST(MatchedCacheTest, WhatReachesFurtherStaysAndOtherwiseTheLaterOne) {
  MatchedCache cache(BytesOf(100));
  cache.Keep(Key(1), NamesOf(3, 5));
  const auto further = NamesOf(3, 6);
  cache.Keep(Key(1), further);
  cache.Keep(Key(1), NamesOf(3, 5));
  EXPECT_EQ(cache.Find(Key(1)), further);
  // What was looked up again in the same state has less to pass over.
  const auto again = NamesOf(2, 6);
  cache.Keep(Key(1), again);
  EXPECT_EQ(cache.Find(Key(1)), again);
}

TEST(MatchedCacheTest, WhatWasNotUsedTheLongestIsForgottenFirst) {
  MatchedCache cache(BytesOf(100));
  cache.Keep(Key(1), NamesOf(40, 5));
  cache.Keep(Key(2), NamesOf(40, 5));
  EXPECT_NE(cache.Find(Key(1)), nullptr);
  cache.Keep(Key(3), NamesOf(40, 5));
  EXPECT_NE(cache.Find(Key(1)), nullptr);
  EXPECT_EQ(cache.Find(Key(2)), nullptr);
  EXPECT_NE(cache.Find(Key(3)), nullptr);
}

TEST(MatchedCacheTest, NamesThatAreReplacedDoNotCount) {
  MatchedCache cache(BytesOf(100));
  cache.Keep(Key(1), NamesOf(40, 1));
  for (Revision at = 1; at < 20; ++at) cache.Keep(Key(2), NamesOf(60, at));
  EXPECT_NE(cache.Find(Key(1)), nullptr);
}

TEST(MatchedCacheTest, WhatIsTooLargeForItIsForgottenAtOnce) {
  MatchedCache cache(BytesOf(100));
  cache.Keep(Key(1), NamesOf(101, 1));
  EXPECT_EQ(cache.Find(Key(1)), nullptr);
  cache.Keep(Key(2), NamesOf(100, 1));
  EXPECT_NE(cache.Find(Key(2)), nullptr);
}

TEST(MatchedCacheTest, SeveralThreadsUseIt) {
  MatchedCache cache(BytesOf(200));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      for (int i = 0; i < 200; ++i) {
        const MatchedKey key = Key((i + t) % 5);
        cache.Keep(key, NamesOf(50, i + 1));
        const auto names = cache.Find(key);
        if (names == nullptr) continue;
        NameWalk walk = names->After({}, "");
        const auto first = walk.Next();
        names->Learn(*first, 1);
        EXPECT_LE(names->RevisionOf(*first), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace asyncops::storage
