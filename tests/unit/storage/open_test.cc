// What the store opens and what it refuses.
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

class OpenTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Store>> Open() {
    SqliteStoreOptions options;
    options.path = path_;
    return OpenSqliteStore(options, clock_);
  }
  // A closed store with some things.
  void Make(int count = 3) {
    auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(CreateThing(**store, std::to_string(i), std::string(1500, 'x')).ok());
    }
  }
  // The file is refused, by name and with these words, and is not touched.
  void ExpectRefused(const std::string& words) {
    const std::string before = ReadFile(path_);
    const auto store = Open();
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.status().reason(), Reason::kServiceUnavailable);
    EXPECT_NE(store.status().message().find(path_), std::string::npos) << store.status().message();
    EXPECT_NE(store.status().message().find(words), std::string::npos) << store.status().message();
    EXPECT_EQ(ReadFile(path_), before);
  }

  TempDir directory_;
  FakeClock clock_;
  const std::string path_ = directory_.File("store.db");
};

TEST_F(OpenTest, NewFileIsPrivateAndHasItsPagesAndMarks) {
  Make();
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(RunSql(path_, "PRAGMA page_size"), "8192");
  EXPECT_EQ(RunSql(path_, "PRAGMA auto_vacuum"), "2");
  EXPECT_EQ(RunSql(path_, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(RunSql(path_, "PRAGMA user_version"), "2");
  EXPECT_EQ(RunSql(path_, "PRAGMA integrity_check"), "ok");
}

TEST_F(OpenTest, CleanCloseLeavesOneFileAndItsLock) {
  Make();
  EXPECT_FALSE(FileExists(path_ + "-wal"));
  EXPECT_FALSE(FileExists(path_ + "-new"));
  EXPECT_TRUE(FileExists(path_ + "-lock"));
}

TEST_F(OpenTest, UnfinishedNewFileOfACrashIsMadeAgain) {
  WriteFile(path_ + "-new", "half a file");
  Make();
  EXPECT_FALSE(FileExists(path_ + "-new"));
}

TEST_F(OpenTest, SecondOpenIsRefusedNamingTheHolder) {
  const auto store = Open();
  ASSERT_TRUE(store.ok());
  const auto second = Open();
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.status().message().find("pid " + std::to_string(::getpid())), std::string::npos)
      << second.status().message();
  EXPECT_TRUE(CreateThing(**store, "still", "works").ok());
}

TEST_F(OpenTest, DirectoryThatIsNotThereIsRefused) {
  SqliteStoreOptions options;
  options.path = directory_.File("none/store.db");
  const auto store = OpenSqliteStore(options, clock_);
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.status().message().find(options.path), std::string::npos);
}

TEST_F(OpenTest, NewerSchemaIsRefusedNamingBothVersions) {
  Make();
  RunSql(path_, "PRAGMA user_version = 9999");
  ExpectRefused("schema version 9999, this binary knows up to 2");
}

TEST_F(OpenTest, FileWithoutASchemaVersionIsRefused) {
  Make();
  RunSql(path_, "PRAGMA user_version = 0");
  ExpectRefused("damaged");
}

TEST_F(OpenTest, DatabaseOfAnotherProgramIsRefused) {
  RunSql(path_, "CREATE TABLE other(x)");
  ExpectRefused("another program");
}

TEST_F(OpenTest, FileThatIsNoDatabaseIsRefused) {
  WriteFile(path_, "this is a text file, not a database\n");
  ExpectRefused("no SQLite database");
}

TEST_F(OpenTest, EmptyFileIsRefusedAndNotFilled) {
  WriteFile(path_, "");
  ExpectRefused("it is empty");
}

TEST_F(OpenTest, DirectoryInPlaceOfTheFileIsRefused) {
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  const auto store = Open();
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.status().message().find("not a file"), std::string::npos);
}

TEST_F(OpenTest, LogWithoutItsFileIsRefused) {
  WriteFile(path_ + "-wal", "something");
  const auto store = Open();
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.status().message().find("it is gone"), std::string::npos);
  EXPECT_FALSE(FileExists(path_));
}

TEST_F(OpenTest, LostLogOfAnUncleanEndIsRefused) {
  std::string running;
  {
    auto store = Open();
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(CreateThing(**store, "only-in-the-log").ok());
    running = ReadFile(path_);
  }
  WriteFile(path_, running);
  ExpectRefused("-wal, is missing");
}

TEST_F(OpenTest, UncleanEndIsRecoveredFromTheLog) {
  std::string file;
  std::string wal;
  {
    auto store = Open();
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(CreateThing(**store, "only-in-the-log").ok());
    file = ReadFile(path_);
    wal = ReadFile(path_ + "-wal");
  }
  WriteFile(path_, file);
  WriteFile(path_ + "-wal", wal);
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_TRUE((*store)->Get(ThingKey("only-in-the-log")).ok());
}

TEST_F(OpenTest, TruncatedFileIsRefused) {
  Make(200);
  const std::string whole = ReadFile(path_);
  for (const std::size_t size : {whole.size() - 8192, whole.size() / 2, std::size_t{8192},
                                 std::size_t{4096}, std::size_t{100}, std::size_t{10}}) {
    WriteFile(path_, whole.substr(0, size));
    const auto store = Open();
    EXPECT_FALSE(store.ok()) << size;
  }
}

TEST_F(OpenTest, EachDamagedPageIsRefusedOrSeenNeverAnEmptyStart) {
  SetLogLevel(LogLevel::kError);
  constexpr int kThings = 40;
  Make(kThings);
  const std::string whole = ReadFile(path_);
  const unsigned seed = 20261129;
  std::mt19937 random(seed);
  std::size_t refused = 0;
  std::size_t tries = 0;
  for (std::size_t page = 0; page < whole.size(); page += 8192) {
    for (const bool header : {true, false}) {
      std::string damaged = whole;
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t at = page + (header ? i : random() % 8192);
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ 0xA5U);
      }
      WriteFile(path_, damaged);
      ::unlink((path_ + "-wal").c_str());
      ++tries;
      const auto store = Open();
      if (!store.ok()) {
        ++refused;
        EXPECT_NE(store.status().message().find(path_), std::string::npos);
        continue;
      }
      // Flipped bytes of a body, or free space: the things are there, or the read fails.
      ListQuery query;
      query.resource = "things";
      const auto page_of_things = (*store)->List(query);
      if (page_of_things.ok()) {
        EXPECT_EQ(page_of_things->rows.size(), kThings) << "page " << page / 8192;
      }
    }
  }
  EXPECT_GE(refused * 3, tries) << "seed " << seed;
}

}  // namespace
}  // namespace asyncops::storage
