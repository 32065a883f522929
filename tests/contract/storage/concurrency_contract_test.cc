// Many writers and readers at once.
#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

class ConcurrencyContractTest : public StoreContractTest {};
INSTANTIATE_TEST_SUITE_P(Stores, ConcurrencyContractTest, testing::ValuesIn(AllStores()), KindName);

constexpr int kThreads = 64;
constexpr int kWritesEach = 20;

TEST_P(ConcurrencyContractTest, ConcurrentCreatesAreAllStoredEachWithItsOwnRevision) {
  const Revision start = store().revision();
  std::vector<std::vector<Revision>> revisions(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &revisions] {
      for (int i = 0; i < kWritesEach; ++i) {
        const auto name = std::to_string(t) + "-" + std::to_string(i);
        revisions[static_cast<std::size_t>(t)].push_back(Create(KeyOf("a", name), VersionOf(name)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Revision> all;
  for (const auto& mine : revisions) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
  std::vector<Revision> logged;
  Revision after = start;
  while (true) {
    const ChangeBatch batch = Changes(after);
    if (batch.changes.empty()) break;
    for (const auto& change : batch.changes) logged.push_back(change->record.revision);
    after = batch.through;
  }
  EXPECT_EQ(logged, all);
}

TEST_P(ConcurrencyContractTest, NoUpdateIsLostAndEachRevisionHasOneWinner) {
  const ObjectKey key = KeyOf("a", "counter");
  Create(key, VersionOf("0"));
  std::atomic<int> wins = 0;
  std::atomic<int> conflicts = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, &key, &wins, &conflicts] {
      for (int i = 0; i < kWritesEach; ++i) {
        const Revision seen = store().Get(key)->revision;
        const Status status = Write([&key, seen](Transaction& transaction) {
          return transaction.Update(key, seen, VersionOf("next")).status();
        });
        (status.ok() ? wins : conflicts) += 1;
        EXPECT_TRUE(status.ok() || status.reason() == Reason::kConflict) << status.ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wins + conflicts, kThreads * kWritesEach);
  int modified = 0;
  Revision after = 1;
  while (true) {
    const ChangeBatch batch = Changes(after);
    if (batch.changes.empty()) break;
    for (const auto& change : batch.changes) modified += change->type == ChangeType::kModified;
    after = batch.through;
  }
  EXPECT_EQ(modified, wins);
}

TEST_P(ConcurrencyContractTest, ReaderSeesWhatWasAcknowledgedBeforeItBegan) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 50; ++i) {
        const ObjectKey key = KeyOf("ns" + std::to_string(t), std::to_string(100 + i));
        const Revision revision = Create(key, VersionOf("x"));
        EXPECT_EQ(store().Get(key)->revision, revision);
        ListQuery query;
        query.resource = kResource;
        query.namespace_name = key.namespace_name;
        const ListPage page = List(query);
        EXPECT_EQ(page.rows.size(), static_cast<std::size_t>(i + 1));
        EXPECT_GE(page.revision, revision);
        EXPECT_GE(store().revision(), revision);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ConcurrencyContractTest, ListAndWatchFromItsRevisionMissNothing) {
  std::atomic<bool> stop = false;
  std::thread writer([this, &stop] {
    for (int i = 0; i < 800; ++i) Create(KeyOf("a", std::to_string(10000 + i)), VersionOf("x"));
    stop = true;
  });
  while (!stop) {
    ListQuery query;
    query.resource = kResource;
    const ListPage page = List(query);
    std::size_t known = page.rows.size();
    Revision after = page.revision;
    const ChangeBatch batch = Changes(after, 100);
    for (const auto& change : batch.changes) {
      EXPECT_GT(change->record.revision, after);
      after = change->record.revision;
      if (known < kMaxRowsPerRead) {
        EXPECT_EQ(change->record.key.name, std::to_string(10000 + known));
      }
      ++known;
    }
  }
  writer.join();
}

TEST_P(ConcurrencyContractTest, StoreThatIsTooFarBehindRefusesAndEveryDoneRunsOnce) {
  std::latch release(1);
  std::latch started(1);
  store().Write(
      [&release, &started](Transaction&) {
        started.count_down();
        release.wait();
        return Status::Ok();
      },
      [](const Status&) {});
  started.wait();
  std::atomic<int> stored = 0;
  std::atomic<int> refused = 0;
  const int total = static_cast<int>(kMaxQueuedWrites) + 10;
  std::latch all(total);
  for (int i = 0; i < total; ++i) {
    store().Write([](Transaction&) { return Status::Ok(); },
                  [&stored, &refused, &all](const Status& status) {
                    (status.ok() ? stored : refused) += 1;
                    if (!status.ok()) {
                      EXPECT_EQ(status.reason(), Reason::kServiceUnavailable);
                      EXPECT_GT(status.details().retry_after_seconds, 0);
                    }
                    all.count_down();
                  });
  }
  EXPECT_EQ(refused, 10);
  release.count_down();
  all.wait();
  EXPECT_EQ(stored, static_cast<int>(kMaxQueuedWrites));
}

TEST_P(ConcurrencyContractTest, WritesThatWereQueuedAtTheEndAreWritten) {
  std::atomic<int> stored = 0;
  for (int i = 0; i < 500; ++i) {
    const ObjectKey key = KeyOf("a", std::to_string(i));
    store().Write(
        [key](Transaction& transaction) {
          return transaction.Create(key, VersionOf("x")).status();
        },
        [&stored](const Status& status) { stored += status.ok() ? 1 : 0; });
  }
  Reopen();
  EXPECT_EQ(stored, 500);
  EXPECT_TRUE(store().Get(KeyOf("a", "499")).ok());
}

TEST_P(ConcurrencyContractTest, FailingFunctionsDoNotDisturbTheOthersOfTheirCommit) {
  std::latch all(300);
  std::atomic<int> stored = 0;
  for (int i = 0; i < 300; ++i) {
    const ObjectKey key = KeyOf("a", std::to_string(i));
    const bool fail = i % 3 == 0;
    const bool twice = i % 2 == 0;
    store().Write(
        [key, fail, twice](Transaction& transaction) {
          ASYNCOPS_RETURN_IF_ERROR(transaction.Create(key, VersionOf("x", {{"a", "1"}})));
          if (twice) ASYNCOPS_RETURN_IF_ERROR(transaction.Update(key, 0, VersionOf("y")));
          return fail ? BadRequest("no") : Status::Ok();
        },
        [&stored, &all](const Status& status) {
          stored += status.ok() ? 1 : 0;
          all.count_down();
        });
  }
  all.wait();
  EXPECT_EQ(stored, 200);
  ListQuery query;
  query.resource = kResource;
  const ListPage page = List(query);
  EXPECT_EQ(page.rows.size(), 200U);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(store().Get(KeyOf("a", std::to_string(i))).ok(), i % 3 != 0) << i;
}

}  // namespace
}  // namespace asyncops::storage
