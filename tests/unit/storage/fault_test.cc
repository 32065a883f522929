// Disks that are full or fail.
#include <gtest/gtest.h>

#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/fault_vfs.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

class FaultTest : public testing::Test {
 protected:
  void Open() {
    store_.reset();
    SqliteStoreOptions options;
    options.path = path_;
    options.vfs = vfs_.name();
    auto store = OpenSqliteStore(options, clock_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }
  bool Has(const std::string& name) { return store_->Get(ThingKey(name)).ok(); }

  TempDir directory_;
  FakeClock clock_;
  const std::string path_ = directory_.File("store.db");
  FaultVfs vfs_{"fault"};
  std::unique_ptr<Store> store_;
};

TEST_F(FaultTest, FullDiskRefusesWritesServesReadsAndRecoversByItself) {
  Open();
  ASSERT_TRUE(CreateThing(*store_, "before").ok());
  vfs_.Break(DiskFault::kNoSpace);
  const Status full = CreateThing(*store_, "during", std::string(100000, 'x'));
  EXPECT_EQ(full.reason(), Reason::kServiceUnavailable);
  EXPECT_NE(full.message().find("no space"), std::string::npos) << full.message();
  EXPECT_GT(full.details().retry_after_seconds, 0);
  EXPECT_TRUE(Has("before"));
  EXPECT_FALSE(Has("during"));
  EXPECT_TRUE(store_->Health().ok());
  vfs_.Heal();
  EXPECT_TRUE(CreateThing(*store_, "after").ok());
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_FALSE(Has("during"));
  EXPECT_TRUE(Has("after"));
}

TEST_F(FaultTest, FailedSyncEndsAllWritingEvenWhenTheDiskSeemsSoundAgain) {
  Open();
  ASSERT_TRUE(CreateThing(*store_, "before").ok());
  vfs_.Break(DiskFault::kSyncError, 0, true);
  EXPECT_EQ(CreateThing(*store_, "during").reason(), Reason::kServiceUnavailable);
  EXPECT_TRUE(vfs_.met());
  EXPECT_EQ(CreateThing(*store_, "after").reason(), Reason::kServiceUnavailable);
  EXPECT_FALSE(store_->Health().ok());
  EXPECT_TRUE(Has("before"));
  Open();
  EXPECT_TRUE(Has("before"));
  EXPECT_TRUE(CreateThing(*store_, "again").ok());
}

// Fails the n-th write or sync, for n = 1, 2, 3 ... until a whole script runs without meeting the
// fault.
void Sweep(FaultVfs& vfs, const Clock& clock, const std::string& path, DiskFault fault) {
  ASSERT_TRUE(OpenSqliteStore({.path = path, .vfs = ""}, clock).ok());
  const std::string empty_store = ReadFile(path);
  for (int n = 0; n < 400; ++n) {
    std::vector<std::string> acknowledged;
    SqliteStoreOptions options;
    options.path = path + std::to_string(n);
    options.vfs = vfs.name();
    WriteFile(options.path, empty_store);
    {
      auto store = OpenSqliteStore(options, clock);
      ASSERT_TRUE(store.ok()) << store.status().ToString();
      vfs.Break(fault, n, true);
      for (int i = 0; i < 12; ++i) {
        const std::string name = std::to_string(i);
        if (CreateThing(**store, name, std::string(20000, 'x')).ok()) acknowledged.push_back(name);
      }
    }
    const bool met = vfs.met();
    vfs.Heal();
    auto store = OpenSqliteStore(options, clock);
    ASSERT_TRUE(store.ok()) << "call " << n << ": " << store.status().ToString();
    for (const std::string& name : acknowledged)
      EXPECT_TRUE((*store)->Get(ThingKey(name)).ok()) << "lost " << name << ", call " << n;
    store->reset();
    EXPECT_EQ(RunSql(options.path, "PRAGMA integrity_check"), "ok") << "call " << n;
    if (!met) return;
  }
  ADD_FAILURE() << "the script never ran through";
}

TEST_F(FaultTest, NoWriteErrorAtAnyCallLosesAnAcknowledgedWrite) {
  Sweep(vfs_, clock_, path_, DiskFault::kWriteError);
}

TEST_F(FaultTest, NoSyncErrorAtAnyCallLosesAnAcknowledgedWrite) {
  Sweep(vfs_, clock_, path_, DiskFault::kSyncError);
}

TEST_F(FaultTest, NoFullDiskAtAnyCallLosesAnAcknowledgedWrite) {
  Sweep(vfs_, clock_, path_, DiskFault::kNoSpace);
}

}  // namespace
}  // namespace asyncops::storage
