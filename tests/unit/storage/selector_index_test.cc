// Entries of selectors, and rows whose marks happen to be the same.
#include "storage/sqlite/selector_index.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

// The number of the first resource of a file.
constexpr std::int64_t kResource = 1;

std::int64_t LabelMark(const std::string& key, const std::string& value) {
  return MarkOf(kResource, PairKind::kLabel, key, value);
}

// Two values of the label "a" that share a mark.
std::pair<std::string, std::string> ValuesWithOneMark() {
  std::map<std::int64_t, std::string> seen;
  for (int i = 0; i < 1000000; ++i) {
    std::string value = "v" + std::to_string(i);
    const auto [found, added] = seen.emplace(LabelMark("a", value), value);
    if (!added) return {found->second, value};
  }
  return {};
}

// Two keys under which the value "y" has the same mark.
std::pair<std::string, std::string> KeysWithOneMark() {
  std::map<std::int64_t, std::string> seen;
  for (int i = 0; i < 1000000; ++i) {
    std::string key = "k" + std::to_string(i);
    const auto [found, added] = seen.emplace(LabelMark(key, "y"), key);
    if (!added) return {found->second, key};
  }
  return {};
}

class SelectorIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    SqliteStoreOptions options;
    options.path = path_;
    auto store = OpenSqliteStore(options, clock_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }
  static ObjectVersion Version(const Labels& labels) {
    ObjectVersion version;
    version.encoded = {.json = R"({"r":""})", .revision_at = 6};
    version.labels = EncodedPairs(labels);
    return version;
  }
  void Create(const std::string& name, const Labels& labels) {
    const ObjectVersion version = Version(labels);
    ASSERT_TRUE(WriteAndWait(*store_, [&name, &version](Transaction& transaction) {
                  return transaction.Create(ThingKey(name), version).status();
                }).ok());
  }
  void Update(const std::string& name, const Labels& labels) {
    const ObjectVersion version = Version(labels);
    ASSERT_TRUE(WriteAndWait(*store_, [&name, &version](Transaction& transaction) {
                  return transaction.Update(ThingKey(name), 0, version).status();
                }).ok());
  }
  // The names of the objects whose label has one of the values, joined.
  std::string Select(const std::string& key, std::vector<std::string> values) {
    ListQuery query;
    query.resource = ThingKey("").resource;
    query.labels.requirements = {{key, LabelRequirement::Operator::kIn, std::move(values)}};
    const auto page = store_->List(query);
    if (!page.ok()) return page.status().ToString();
    std::string names;
    for (const Record& row : page->rows) names += row.key.name + " ";
    return names;
  }

  TempDir directory_;
  FakeClock clock_;
  const std::string path_ = directory_.File("store.db");
  std::unique_ptr<Store> store_;
};

TEST(SelectorEntryTest, EntriesOfAMarkAreConsecutiveInEachBlock) {
  for (const std::int64_t object : {0L, 1L, 4095L, 4096L, 123456789L}) {
    const std::int64_t start = EntryOf(object, 0) - (object & 4095);
    for (const std::int64_t mark : {0L, 1L, 4194303L}) {
      const std::int64_t entry = EntryOf(object, mark);
      EXPECT_GE(entry, start + FirstOffset(mark)) << object << " " << mark;
      EXPECT_LE(entry, start + LastOffset(mark)) << object << " " << mark;
      EXPECT_EQ(entry % 4096, object % 4096) << object << " " << mark;
      EXPECT_EQ(entry >> 34, object >> 12) << object << " " << mark;
    }
  }
}

TEST(SelectorEntryTest, MarksNeverChangeSinceFilesHaveThem) {
  EXPECT_EQ(MarkOf(1, PairKind::kLabel, "app", "x"), 1256299);
  EXPECT_EQ(MarkOf(12, PairKind::kField, "status.phase", "Ready"), 4188630);
}

TEST(SelectorEntryTest, EmptyFieldHasNoMarkAndEmptyLabelHas) {
  EXPECT_EQ(MarksOf(1, EncodedPairs(Labels{{"a", ""}}), EncodedPairs(Fields{{"b", ""}})),
            std::vector<std::int64_t>{MarkOf(1, PairKind::kLabel, "a", "")});
}

TEST_F(SelectorIndexTest, ValuesThatShareAMarkAreToldApart) {
  const auto [one, other] = ValuesWithOneMark();
  ASSERT_FALSE(one.empty());
  Create("1", {{"a", one}});
  Create("2", {{"a", other}});
  EXPECT_EQ(Select("a", {one}), "1 ");
  EXPECT_EQ(Select("a", {other}), "2 ");
  EXPECT_EQ(Select("a", {one, other}), "1 2 ");
}

TEST_F(SelectorIndexTest, PairsOfOneObjectMayShareAMark) {
  const auto [one, other] = KeysWithOneMark();
  ASSERT_FALSE(one.empty());
  Create("1", {{one, "y"}, {other, "y"}});
  EXPECT_EQ(Select(one, {"y"}), "1 ");
  Update("1", {{one, "y"}});
  EXPECT_EQ(Select(one, {"y"}), "1 ") << "the other pair went";
  EXPECT_EQ(Select(other, {"y"}), "");
  Update("1", {{one, "y"}, {other, "y"}});
  Update("1", {});
  EXPECT_EQ(Select(one, {"y"}), "");
  store_.reset();
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM selectable"), "0");
}

TEST_F(SelectorIndexTest, ObjectThatTwoMarksShowIsListedOnce) {
  const auto [one, other] = KeysWithOneMark();
  ASSERT_FALSE(one.empty());
  Create("1", {{one, "x"}, {other, "y"}});
  EXPECT_EQ(Select(one, {"x", "y"}), "1 ");
}

TEST_F(SelectorIndexTest, ObjectsAreFoundInAllBlocks) {
  ASSERT_TRUE(WriteAndWait(*store_, [](Transaction& transaction) {
                for (int i = 0; i < 9000; ++i) {
                  const Labels labels =
                      i % 4000 == 0 ? Labels{{"a", "x"}} : Labels{{"n", std::to_string(i)}};
                  const auto made =
                      transaction.Create(ThingKey(std::to_string(i)), Version(labels));
                  if (!made.ok()) return made.status();
                }
                return Status::Ok();
              }).ok());
  EXPECT_EQ(Select("a", {"x"}), "0 4000 8000 ");
  EXPECT_EQ(Select("n", {"1", "4097", "8999"}), "1 4097 8999 ");
  ASSERT_TRUE(WriteAndWait(*store_, [](Transaction& transaction) {
                // The whole second block goes.
                for (int i = 4090; i < 8190; ++i) {
                  const auto gone =
                      transaction.Delete(ThingKey(std::to_string(i)), 0, Version({}).encoded);
                  if (!gone.ok()) return gone.status();
                }
                return Status::Ok();
              }).ok());
  EXPECT_EQ(Select("a", {"x"}), "0 4000 ");
  EXPECT_EQ(Select("n", {"1", "4097", "8999"}), "1 8999 ");
}

}  // namespace
}  // namespace asyncops::storage
