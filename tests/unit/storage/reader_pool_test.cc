// Readers that nobody needs give back what they have in memory.
#include "storage/sqlite/reader_pool.h"

#include <gtest/gtest.h>

#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

class ReaderPoolTest : public testing::Test {
 protected:
  ReaderPoolTest() {
    auto store = OpenSqliteStore({.path = path_, .vfs = ""}, clock_);
    EXPECT_TRUE(store.ok() && CreateThing(**store, "a").ok());
    store->reset();
    pool_ = *ReaderPool::Open(path_, "", resources_, 2);
  }
  void Read() { EXPECT_TRUE(pool_->Take()->objects().NewestRevision().ok()); }

  const TempDir directory_;
  const std::string path_ = directory_.path() + "/store.db";
  FakeClock clock_;
  Resources resources_;
  std::unique_ptr<ReaderPool> pool_;
};

TEST_F(ReaderPoolTest, OnlyWhoWasUsedAndIsNotAnyMoreIsReleased) {
  EXPECT_FALSE(pool_->ReleaseUnused()) << "nobody has read";
  Read();
  EXPECT_FALSE(pool_->ReleaseUnused()) << "it was used just now";
  Read();
  EXPECT_FALSE(pool_->ReleaseUnused()) << "and again";
  EXPECT_TRUE(pool_->ReleaseUnused());
  EXPECT_FALSE(pool_->ReleaseUnused()) << "there is nothing left";
  Read();
  EXPECT_FALSE(pool_->ReleaseUnused());
  EXPECT_TRUE(pool_->ReleaseUnused());
}

TEST_F(ReaderPoolTest, WhoIsAtWorkKeepsItsPages) {
  Read();
  EXPECT_FALSE(pool_->ReleaseUnused());
  {
    const ReaderPool::Lease lease = pool_->Take();
    EXPECT_FALSE(pool_->ReleaseUnused()) << "the other one was never used";
  }
  EXPECT_FALSE(pool_->ReleaseUnused());
  EXPECT_TRUE(pool_->ReleaseUnused());
}

}  // namespace
}  // namespace asyncops::storage
