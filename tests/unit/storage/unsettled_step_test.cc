// Files from before operations were marked that are not settled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "api/operations/v1alpha1/async_operation.h"
#include "api/scheme.h"
#include "storage/control_fields.h"
#include "storage/object_version.h"
#include "storage/sqlite/selector_index.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

using testing::ElementsAre;

const ResourceInfo& Operations() { return *FindResource(kOperationsGroup, kAsyncOperations); }

class UnsettledStepTest : public testing::Test {
 protected:
  void Open() {
    auto opened = OpenSqliteStore({.path = path_, .vfs = ""}, clock_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = std::move(*opened);
  }
  void Write(const std::string& name, const std::string& state, bool create) {
    const Json object = Json::Of({{"metadata", Json::Of({{"name", name}, {"uid", "u-" + name}})},
                                  {"spec", Json::Of({{"type", "Create"}})},
                                  {"status", Json::Of({{"state", state}})}});
    const ObjectVersion version = MakeObjectVersion(Operations(), object);
    const ObjectKey key = KeyOf(Operations(), "team", name);
    const Status written =
        WriteAndWait(*store_, [&key, &version, create](Transaction& transaction) {
          return create ? transaction.Create(key, version).status()
                        : transaction.Update(key, 0, version).status();
        });
    ASSERT_TRUE(written.ok()) << written.ToString();
  }
  std::vector<std::string> Found() const {
    ListQuery query;
    query.resource = Operations().GroupResource();
    query.fields = Unsettled();
    std::vector<std::string> names;
    const Result<ListPage> page = store_->List(query);
    for (const Record& record : page->rows) names.push_back(record.key.name);
    return names;
  }
  // The file as the first version of the schema left it.
  void MakeOld() {
    store_.reset();
    const FieldRequirement wanted = Unsettled().requirements.front();
    const std::string pair = EncodedPairs(Fields{{wanted.field, wanted.value}}).text();
    ASSERT_EQ(RunSql(path_, "SELECT name FROM resources WHERE id = 1"),
              Operations().GroupResource());
    const std::int64_t mark = MarkOf(1, PairKind::kField, wanted.field, wanted.value);
    RunSql(path_, "UPDATE versions SET fields = replace(fields, '" + pair + "', '')");
    RunSql(path_, "DELETE FROM selectable WHERE (entry >> 12) & 4194303 = " + std::to_string(mark));
    RunSql(path_, "PRAGMA user_version = 1");
  }

  TempDir directory_;
  FakeClock clock_;
  const std::string path_ = directory_.File("store.db");
  std::unique_ptr<Store> store_;
};

TEST_F(UnsettledStepTest, AnOldFileFindsWhatIsNotSettled) {
  Open();
  Write("done", "Succeeded", true);
  Write("new", "", true);
  Write("runs", "Running", true);
  EXPECT_THAT(Found(), ElementsAre("new", "runs"));
  MakeOld();
  Open();
  EXPECT_EQ(RunSql(path_, "PRAGMA user_version"), "2");
  EXPECT_THAT(Found(), ElementsAre("new", "runs"));
}

TEST_F(UnsettledStepTest, WhatItMarkedLosesTheMarkAsAnyOther) {
  Open();
  Write("op", "Running", true);
  MakeOld();
  Open();
  Write("op", "Succeeded", false);
  EXPECT_THAT(Found(), ElementsAre());
  Write("op", "Running", false);
  EXPECT_THAT(Found(), ElementsAre("op"));
  EXPECT_EQ(RunSql(path_, "PRAGMA integrity_check"), "ok");
}

TEST_F(UnsettledStepTest, AFileWithoutOperationsIsBroughtOnToo) {
  Open();
  store_.reset();
  RunSql(path_, "PRAGMA user_version = 1");
  Open();
  EXPECT_THAT(Found(), ElementsAre());
}

}  // namespace
}  // namespace asyncops::storage
