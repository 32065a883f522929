#include "controllers/object_counts.h"

#include <gtest/gtest.h>

#include "tests/unit/controllers/world.h"

namespace asyncops::controllers {
namespace {

struct ObjectCountsTest : testing::Test {
  // All changes after `seen`, as the loop hands them on.
  void Follow() {
    for (const char* resource : {"secrets", "asyncresources.asyncops.dev"}) {
      const Result<storage::ChangeBatch> batch = world.store().Changes(resource, "", seen, 500);
      ASSERT_TRUE(batch.ok());
      for (const auto& change : batch->changes) counts.Observe(*change);
    }
    seen = world.store().revision();
  }
  void Start() {
    seen = world.store().revision();
    counts.Start(seen);
  }
  void Finish() {
    Result<bool> more = true;
    while (*more) {
      more = counts.Work();
      ASSERT_TRUE(more.ok()) << more.status().ToString();
    }
  }
  World world;
  ObjectCounts counts{world.store()};
  storage::Revision seen = 0;
};

TEST_F(ObjectCountsTest, NothingIsKnownBeforeItIsCounted) {
  EXPECT_EQ(counts.CountOf("secrets"), -1);
  EXPECT_FALSE(*counts.Work());
  Start();
  EXPECT_EQ(counts.CountOf("secrets"), -1);
  EXPECT_EQ(counts.CountOf("pods"), -1);
}

TEST_F(ObjectCountsTest, CountsMoreThanAPage) {
  for (int i = 0; i < kMaxRowsPerRead + 3; ++i) world.Put("s-" + std::to_string(i));
  world.PutObject("asyncresources", Make("asyncresources", "v"));
  Start();
  Finish();
  EXPECT_EQ(counts.CountOf("secrets"), kMaxRowsPerRead + 3);
  EXPECT_EQ(counts.CountOf("asyncresources.asyncops.dev"), 1);
  EXPECT_EQ(counts.CountOf("events"), 0);
}

TEST_F(ObjectCountsTest, WhatComesAndGoesMeanwhileIsCountedOnce) {
  for (const char* name : {"a", "b", "c"}) world.Put(name);
  Start();
  world.Put("d");
  world.Delete("a");
  Follow();
  Finish();
  EXPECT_EQ(counts.CountOf("secrets"), 3);
  world.Delete("b");
  Follow();
  EXPECT_EQ(counts.CountOf("secrets"), 2);
}

TEST_F(ObjectCountsTest, BeginsAnewAsOftenAsItIsTold) {
  world.Put("a");
  Start();
  Finish();
  world.Put("b");
  Start();
  EXPECT_EQ(counts.CountOf("secrets"), 1) << "what was known stands until it is counted again";
  Finish();
  EXPECT_EQ(counts.CountOf("secrets"), 2);
}

TEST_F(ObjectCountsTest, TheControllersKeepThemUp) {
  world.Put("owner");
  world.Put("child", {"owner"});
  world.Run();
  EXPECT_EQ(world.CountOf("secrets"), 2);
  world.Delete("owner");
  world.Run();
  EXPECT_EQ(world.CountOf("secrets"), 0);
}

}  // namespace
}  // namespace asyncops::controllers
