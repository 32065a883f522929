#include "tests/contract/storage/store_contract.h"

#include <utility>

#include "storage/sqlite_store.h"

namespace asyncops::storage {
namespace {

constexpr std::string_view kHead = R"({"metadata":{"resourceVersion":")";

std::string TailOf(std::string_view text) { return R"("},"text":")" + std::string(text) + R"("})"; }

Result<std::unique_ptr<Store>> OpenSqlite(const std::string& directory, const Clock& clock) {
  SqliteStoreOptions options;
  options.path = directory + "/store.db";
  return OpenSqliteStore(options, clock);
}

std::string_view NameOf(ChangeType type) {
  switch (type) {
    case ChangeType::kAdded: return "ADDED";
    case ChangeType::kModified: return "MODIFIED";
    case ChangeType::kDeleted: return "DELETED";
  }
  return "?";
}

}  // namespace

std::vector<StoreKind> AllStores() { return {{"Sqlite", &OpenSqlite}}; }

std::string KindName(const testing::TestParamInfo<StoreKind>& info) { return info.param.name; }

ObjectVersion VersionOf(std::string_view text, const Labels& labels, const Fields& fields) {
  ObjectVersion version;
  version.uid = "uid-of-it";
  version.encoded.json = std::string(kHead) + TailOf(text);
  version.encoded.revision_at = kHead.size();
  version.summary.text.append(kSummaryPrefix).append(text).append("@");
  version.summary.revision_at = version.summary.text.size();
  version.labels = EncodedPairs(labels);
  version.fields = EncodedPairs(fields);
  return version;
}

std::string JsonOf(std::string_view text, Revision revision) {
  return std::string(kHead) + std::to_string(revision) + TailOf(text);
}

std::string SummaryOf(std::string_view text, Revision revision) {
  return std::string(kSummaryPrefix).append(text).append("@") + std::to_string(revision);
}

OutboxMessage EventOf(std::string_view dedup_name) {
  OutboxMessage message;
  message.kind = "event";
  message.dedup_name = dedup_name;
  message.payload = "{}";
  return message;
}

ObjectKey KeyOf(std::string_view namespace_name, std::string_view name) {
  return {std::string(kResource), std::string(namespace_name), std::string(name)};
}

std::string NamesOf(const ListPage& page) {
  std::string names;
  for (const Record& row : page.rows) {
    if (!names.empty()) names += " ";
    names += row.key.namespace_name + "/" + row.key.name;
  }
  return names;
}

std::string Describe(const ChangeBatch& batch) {
  std::string text;
  for (const auto& change : batch.changes) {
    if (!text.empty()) text += " ";
    const ObjectKey& key = change->record.key;
    text.append(NameOf(change->type)).append(" ").append(key.namespace_name).append("/");
    text.append(key.name).append("@").append(std::to_string(change->record.revision));
    if (!change->previous_fields) continue;
    const std::string_view phase = FindPair(change->previous_fields->text(), "status.phase");
    if (!phase.empty()) text.append(" was ").append(phase);
  }
  return text;
}

void StoreContractTest::SetUp() { Reopen(); }

void StoreContractTest::Reopen() {
  store_.reset();
  auto opened = GetParam().open(directory_.path(), clock_);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  store_ = std::move(*opened);
}

Revision StoreContractTest::Create(const ObjectKey& key, const ObjectVersion& version) {
  Revision revision = 0;
  const Status status = Write([&key, &version, &revision](Transaction& transaction) {
    const auto created = transaction.Create(key, version);
    if (created.ok()) revision = *created;
    return created.status();
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  return revision;
}

Revision StoreContractTest::Update(const ObjectKey& key, const ObjectVersion& version) {
  Revision revision = 0;
  const Status status = Write([&key, &version, &revision](Transaction& transaction) {
    const auto updated = transaction.Update(key, 0, version);
    if (updated.ok()) revision = *updated;
    return updated.status();
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  return revision;
}

Revision StoreContractTest::Delete(const ObjectKey& key) {
  Revision revision = 0;
  const EncodedObject last = VersionOf("last").encoded;
  const Status status = Write([&key, &last, &revision](Transaction& transaction) {
    const auto deleted = transaction.Delete(key, 0, last);
    if (deleted.ok()) revision = *deleted;
    return deleted.status();
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  return revision;
}

ListPage StoreContractTest::List(const ListQuery& query) {
  auto page = store().List(query);
  EXPECT_TRUE(page.ok()) << page.status().ToString();
  return page.ok() ? std::move(*page) : ListPage();
}

ChangeBatch StoreContractTest::Changes(Revision after, int limit) {
  auto batch = store().Changes(kResource, "", after, limit);
  EXPECT_TRUE(batch.ok()) << batch.status().ToString();
  return batch.ok() ? std::move(*batch) : ChangeBatch();
}

void StoreContractTest::CompactAll() {
  const ObjectKey marker{"markers", "", "marker"};
  for (int i = 0; i < 3; ++i) {
    const Status status = Write([&marker](Transaction& transaction) {
      const auto updated = transaction.Update(marker, 0, VersionOf("marker"));
      if (updated.ok()) return Status::Ok();
      return transaction.Create(marker, VersionOf("marker")).status();
    });
    ASSERT_TRUE(status.ok()) << status.ToString();
    clock_.Advance(kChangeLogRetention + std::chrono::seconds(2));
  }
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(Write([&marker](Transaction& transaction) {
                  return transaction.Update(marker, 0, VersionOf("marker")).status();
                }).ok());
  }
}

}  // namespace asyncops::storage
