// What is removed, and when.
#include <charconv>
#include <gtest/gtest.h>

#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

int Number(const std::string& digits) {
  int number = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

class CompactionTest : public testing::Test {
 protected:
  void Open() {
    store_.reset();
    SqliteStoreOptions options;
    options.path = path_;
    auto store = OpenSqliteStore(options, clock_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }
  // Closes the store and counts; the store is open again afterwards.
  std::string Count(const std::string& table) {
    store_.reset();
    std::string count = RunSql(path_, "SELECT count(*) FROM " + table);
    Open();
    return count;
  }
  // Writes that give the compactor its turns.
  void Touch(int times) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE(UpdateThing(*store_, "touched", "x").ok());
  }

  TempDir directory_;
  FakeClock clock_;
  const std::string path_ = directory_.File("store.db");
  std::unique_ptr<Store> store_;
};

TEST_F(CompactionTest, SupersededStatesAndTombstonesGoAfterTheRetentionAndCurrentOnesStay) {
  Open();
  ASSERT_TRUE(CreateThing(*store_, "touched").ok());
  ASSERT_TRUE(CreateThing(*store_, "kept").ok());
  ASSERT_TRUE(CreateThing(*store_, "deleted").ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(UpdateThing(*store_, "kept", std::to_string(i)).ok());
  ASSERT_TRUE(DeleteThing(*store_, "deleted").ok());
  const Revision before = store_->revision();
  clock_.Advance(std::chrono::seconds(2));
  Touch(1);
  EXPECT_EQ(Count("versions"), "25");
  clock_.Advance(kChangeLogRetention - std::chrono::seconds(1));
  Touch(1);
  EXPECT_EQ(Count("versions"), "26") << "within the retention";
  clock_.Advance(std::chrono::seconds(2));
  Touch(2);
  // The newest of "kept", and "touched" with its four states since.
  EXPECT_EQ(Count("versions"), "6");
  EXPECT_EQ(Count("past"), "4");
  EXPECT_EQ(store_->Changes("things", "", before - 1, 10).status().reason(), Reason::kExpired);
  EXPECT_EQ(store_->Changes("things", "", before, 10)->changes.size(), 4U);
  EXPECT_TRUE(store_->Get(ThingKey("kept")).ok());
  EXPECT_FALSE(store_->Get(ThingKey("deleted")).ok());
}

TEST_F(CompactionTest, LargeBacklogIsRemovedInStepsByLaterWrites) {
  Open();
  ASSERT_TRUE(WriteAndWait(*store_, [](Transaction& transaction) {
                for (int i = 0; i < 500; ++i) {
                  const ObjectKey key = ThingKey(std::to_string(i));
                  ASYNCOPS_RETURN_IF_ERROR(transaction.Create(key, ObjectVersion()));
                  ASYNCOPS_RETURN_IF_ERROR(transaction.Update(key, 0, ObjectVersion()));
                }
                return transaction.Create(ThingKey("touched"), ObjectVersion()).status();
              }).ok());
  clock_.Advance(std::chrono::seconds(2));
  Touch(1);
  clock_.Advance(kChangeLogRetention * 2);
  Touch(1);
  EXPECT_GT(Number(Count("past")), 400) << "one write takes one step only";
  Touch(20);
  EXPECT_LT(Number(Count("past")), 30);
}

TEST_F(CompactionTest, FloorIsRememberedOverAReopen) {
  Open();
  ASSERT_TRUE(CreateThing(*store_, "touched").ok());
  const Revision old = store_->revision();
  Touch(10);
  clock_.Advance(std::chrono::seconds(2));
  Touch(1);
  clock_.Advance(kChangeLogRetention * 2);
  Touch(2);
  Open();
  EXPECT_EQ(store_->Changes("things", "", old, 10).status().reason(), Reason::kExpired);
  ListQuery query;
  query.resource = "things";
  query.at = old;
  EXPECT_EQ(store_->List(query).status().reason(), Reason::kExpired);
}

TEST_F(CompactionTest, ClockThatIsSetBackDelaysCompactionAndDoesNotEndIt) {
  Open();
  ASSERT_TRUE(CreateThing(*store_, "touched").ok());
  Touch(10);
  clock_.Advance(std::chrono::seconds(2));
  Touch(10);
  clock_.SetNow(clock_.Now() - std::chrono::hours(24 * 365));
  for (int i = 0; i < 10; ++i) {
    Touch(1);
    clock_.Advance(kChangeLogRetention);
  }
  Touch(5);
  EXPECT_LT(Number(Count("versions")), 15);
}

TEST_F(CompactionTest, FreedSpaceIsReturnedWhileTheStoreIsIdle) {
  Open();
  ASSERT_TRUE(CreateThing(*store_, "touched").ok());
  ASSERT_TRUE(WriteAndWait(*store_, [](Transaction& transaction) {
                ObjectVersion large;
                large.encoded.json = std::string(100000, 'x');
                for (int i = 0; i < 300; ++i)
                  ASYNCOPS_RETURN_IF_ERROR(transaction.Update(ThingKey("touched"), 0, large));
                return Status::Ok();
              }).ok());
  store_.reset();
  const std::size_t full = ReadFile(path_).size();
  Open();
  clock_.Advance(std::chrono::seconds(2));
  Touch(1);
  clock_.Advance(kChangeLogRetention * 2);
  Touch(20);
  // The idle work comes by itself; the test gives it its time and looks at the outcome only.
  std::size_t size = full;
  const SystemClock real;
  const auto limit = real.SteadyNow() + std::chrono::seconds(20);
  while (size > full / 2 && real.SteadyNow() < limit) size = ReadFile(path_).size();
  EXPECT_LE(size, full / 2);
}

}  // namespace
}  // namespace asyncops::storage
