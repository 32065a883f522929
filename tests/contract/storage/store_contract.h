// What every implementation of Store must do: the sentences of storage/store.h as tests. An
// implementation is put under them by a StoreKind in AllStores().
#ifndef ASYNCOPS_TESTS_CONTRACT_STORAGE_STORE_CONTRACT_H_
#define ASYNCOPS_TESTS_CONTRACT_STORAGE_STORE_CONTRACT_H_

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace asyncops::storage {

struct StoreKind {
  std::string name;
  // Opens the store of a directory, made where there is none.
  Result<std::unique_ptr<Store>> (*open)(const std::string& directory, const Clock& clock);
};

std::vector<StoreKind> AllStores();
std::string KindName(const testing::TestParamInfo<StoreKind>& info);

inline constexpr std::string_view kResource = "asyncoperations.operations.asyncops.dev";
inline constexpr std::string_view kSummaryPrefix = "v1\n";

// A version whose JSON is {"metadata":{"resourceVersion":""},"text":"TEXT"}, and whose summary is
// kSummaryPrefix and TEXT@REVISION.
ObjectVersion VersionOf(std::string_view text, const Labels& labels = {},
                        const Fields& fields = {});
// The JSON that a read of VersionOf(text) gives at a revision.
std::string JsonOf(std::string_view text, Revision revision);
std::string SummaryOf(std::string_view text, Revision revision);
OutboxMessage EventOf(std::string_view dedup_name);
ObjectKey KeyOf(std::string_view namespace_name, std::string_view name);
// "ns/name" of each row, separated by spaces.
std::string NamesOf(const ListPage& page);
// "ADDED ns/name@7" and so on, separated by spaces; with "was" and the previous phase where there
// is one.
std::string Describe(const ChangeBatch& batch);

class StoreContractTest : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override;
  // As after a restart of the process.
  void Reopen();

  Store& store() { return *store_; }
  FakeClock& clock() { return clock_; }

  // The revision of the write; 0 and a test failure where it fails.
  Revision Create(const ObjectKey& key, const ObjectVersion& version);
  Revision Update(const ObjectKey& key, const ObjectVersion& version);
  Revision Delete(const ObjectKey& key);
  Status Write(WriteFunction write) { return WriteAndWait(store(), std::move(write)); }
  // The page; an empty one and a test failure where it fails.
  ListPage List(const ListQuery& query);
  ChangeBatch Changes(Revision after, int limit = 500);
  // Moves time on and writes until everything before the last write is compacted.
  void CompactAll();

 private:
  TempDir directory_;
  FakeClock clock_;
  std::unique_ptr<Store> store_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_TESTS_CONTRACT_STORAGE_STORE_CONTRACT_H_
