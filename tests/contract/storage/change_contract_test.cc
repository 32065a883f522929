// The log of changes and who is told of it.
#include <atomic>
#include <latch>
#include <thread>

#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

class ChangeContractTest : public StoreContractTest {};
INSTANTIATE_TEST_SUITE_P(Stores, ChangeContractTest, testing::ValuesIn(AllStores()), KindName);

std::string At(std::string_view text, Revision revision) {
  return std::string(text) + "@" + std::to_string(revision);
}

TEST_P(ChangeContractTest, ChangesComeInTheOrderOfRevisionsWithWhatWasBefore) {
  const Revision start = store().revision();
  const ObjectKey key = KeyOf("a", "1");
  const Revision added = Create(key, VersionOf("1", {{"app", "x"}}, {{"status.phase", "New"}}));
  const Revision modified = Update(key, VersionOf("2", {}, {{"status.phase", "Ready"}}));
  const Revision deleted = Delete(key);
  const Revision again = Create(key, VersionOf("3"));
  const ChangeBatch batch = Changes(start);
  EXPECT_EQ(Describe(batch), At("ADDED a/1", added) + " " + At("MODIFIED a/1", modified) +
                                 " was New " + At("DELETED a/1", deleted) + " was Ready " +
                                 At("ADDED a/1", again));
  EXPECT_EQ(batch.through, again);
  EXPECT_FALSE(batch.changes[0]->previous_labels.has_value());
  EXPECT_EQ(batch.changes[1]->previous_labels, EncodedPairs(Labels{{"app", "x"}}));
  EXPECT_EQ(batch.changes[1]->record.json, JsonOf("2", modified));
  EXPECT_EQ(batch.changes[2]->record.json, JsonOf("last", deleted));
  EXPECT_EQ(batch.changes[2]->record.fields, EncodedPairs(Fields{{"status.phase", "Ready"}}));
  EXPECT_EQ(batch.changes[2]->record.uid, "uid-of-it");
  EXPECT_EQ(batch.changes[2]->previous_fields, EncodedPairs(Fields{{"status.phase", "Ready"}}));
}

TEST_P(ChangeContractTest, ChangesAreOfOneResourceAndOneNamespace) {
  const Revision start = store().revision();
  const Revision mine = Create(KeyOf("a", "1"), VersionOf("1"));
  Create(KeyOf("b", "1"), VersionOf("1"));
  const Revision other = Create({"events", "a", "e"}, VersionOf("e"));
  const auto batch = store().Changes(kResource, "a", start, 500);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(Describe(*batch), At("ADDED a/1", mine));
  EXPECT_EQ(batch->through, other);
}

TEST_P(ChangeContractTest, LimitCutsABatchAndThroughTellsWhereToGoOn) {
  Revision after = store().revision();
  for (const char* name : {"1", "2", "3", "4", "5"}) Create(KeyOf("a", name), VersionOf(name));
  std::string names;
  for (int batches = 0; batches < 3; ++batches) {
    const ChangeBatch batch = Changes(after, 2);
    for (const auto& change : batch.changes) names += change->record.key.name;
    EXPECT_GT(batch.through, after);
    after = batch.through;
  }
  EXPECT_EQ(names, "12345");
  EXPECT_TRUE(Changes(after).changes.empty());
  EXPECT_EQ(Changes(after).through, after);
}

TEST_P(ChangeContractTest, LogIsTheSameFromDiskAsFromMemory) {
  const Revision start = store().revision();
  for (int i = 0; i < 20; ++i) {
    const ObjectKey key = KeyOf(i % 2 == 0 ? "a" : "b", std::to_string(i % 5));
    if (!store().Get(key).ok()) {
      Create(key, VersionOf("new", {{"i", std::to_string(i)}}, {{"status.phase", "New"}}));
    } else if (i % 3 == 0) {
      Delete(key);
    } else {
      Update(key, VersionOf("old", {}, {{"status.phase", std::to_string(i)}}));
    }
  }
  const ChangeBatch memory = Changes(start);
  Reopen();
  const ChangeBatch disk = Changes(start);
  EXPECT_EQ(Describe(disk), Describe(memory));
  EXPECT_EQ(disk.through, memory.through);
  ASSERT_EQ(disk.changes.size(), memory.changes.size());
  for (std::size_t i = 0; i < disk.changes.size(); ++i) {
    EXPECT_EQ(disk.changes[i]->record.json, memory.changes[i]->record.json);
    EXPECT_EQ(disk.changes[i]->record.summary, "");
    EXPECT_EQ(disk.changes[i]->record.uid, memory.changes[i]->record.uid);
    EXPECT_EQ(disk.changes[i]->record.labels, memory.changes[i]->record.labels);
    EXPECT_EQ(disk.changes[i]->record.fields, memory.changes[i]->record.fields);
    EXPECT_EQ(disk.changes[i]->previous_labels, memory.changes[i]->previous_labels);
    EXPECT_EQ(disk.changes[i]->previous_fields, memory.changes[i]->previous_fields);
  }
}

TEST_P(ChangeContractTest, MoreChangesThanMemoryHoldsAreReadWithoutAGap) {
  const Revision start = store().revision();
  const int count = static_cast<int>(kWatchRingChanges) + 700;
  for (int written = 0; written < count; written += 100) {
    ASSERT_TRUE(Write([written](Transaction& transaction) {
                  for (int i = written; i < written + 100; ++i) {
                    const auto key = KeyOf("a", std::to_string(i));
                    ASYNCOPS_RETURN_IF_ERROR(transaction.Create(key, VersionOf("x")));
                  }
                  return Status::Ok();
                }).ok());
  }
  Revision after = start;
  std::size_t seen = 0;
  while (true) {
    const ChangeBatch batch = Changes(after, 97);
    for (const auto& change : batch.changes) {
      EXPECT_EQ(change->record.key.name, std::to_string(seen));
      ++seen;
    }
    if (batch.changes.empty()) break;
    after = batch.through;
  }
  EXPECT_EQ(seen, static_cast<std::size_t>((count + 99) / 100 * 100));
}

TEST_P(ChangeContractTest, LongRunsOfOtherResourcesDoNotHideAChange) {
  const Revision start = store().revision();
  ASSERT_TRUE(Write([](Transaction& transaction) {
                for (int i = 0; i < 1200; ++i) {
                  const ObjectKey key{"events", "a", std::to_string(i)};
                  ASYNCOPS_RETURN_IF_ERROR(transaction.Create(key, VersionOf("x")));
                }
                return transaction.Create(KeyOf("a", "1"), VersionOf("x")).status();
              }).ok());
  Reopen();
  const ChangeBatch batch = Changes(start, 10);
  EXPECT_EQ(batch.changes.size(), 1U);
  EXPECT_EQ(batch.through, store().revision());
}

TEST_P(ChangeContractTest, CompactedPartOfTheLogIsExpired) {
  const Revision start = store().revision();
  Create(KeyOf("a", "1"), VersionOf("1"));
  Update(KeyOf("a", "1"), VersionOf("2"));
  CompactAll();
  Reopen();
  EXPECT_EQ(store().Changes(kResource, "", start, 10).status().reason(), Reason::kExpired);
  EXPECT_EQ(Describe(Changes(store().revision())), "");
}

TEST_P(ChangeContractTest, FutureRevisionGivesAnEmptyBatchThatDoesNotStepBack) {
  const Revision future = store().revision() + 100;
  const ChangeBatch batch = Changes(future);
  EXPECT_TRUE(batch.changes.empty());
  EXPECT_EQ(batch.through, future);
}

TEST_P(ChangeContractTest, SubscribersAreToldAfterACommitOfTheirResourceOnly) {
  std::atomic<int> mine = 0;
  std::atomic<int> any = 0;
  std::atomic<int> others = 0;
  const auto one = store().Subscribe(std::string(kResource), [&mine] { ++mine; });
  const auto two = store().Subscribe("", [&any] { ++any; });
  const auto three = store().Subscribe("events", [&others] { ++others; });
  Create(KeyOf("a", "1"), VersionOf("1"));
  EXPECT_FALSE(Write([](Transaction&) { return BadRequest("no"); }).ok());
  EXPECT_EQ(mine, 1);
  EXPECT_EQ(any, 1);
  EXPECT_EQ(others, 0);
}

TEST_P(ChangeContractTest, ChangeIsReadableWhenTheSubscriberIsToldAndBeforeTheWriteIsDone) {
  std::atomic<bool> told = false;
  std::atomic<bool> told_first = false;
  const auto subscription = store().Subscribe("", [&told] { told = true; });
  std::latch done(1);
  store().Write(
      [](Transaction& transaction) {
        return transaction.Create(KeyOf("a", "1"), VersionOf("1")).status();
      },
      [&told, &told_first, &done](const Status& status) {
        EXPECT_TRUE(status.ok());
        told_first = told.load();
        done.count_down();
      });
  done.wait();
  EXPECT_TRUE(told_first);
}

TEST_P(ChangeContractTest, EndedSubscriptionIsNeverCalledAgain) {
  std::atomic<bool> ended = false;
  std::atomic<int> late = 0;
  std::atomic<bool> stop = false;
  std::thread writer([this, &stop] {
    for (int i = 0; !stop && i < 5000; ++i) Create(KeyOf("a", std::to_string(i)), VersionOf("x"));
  });
  for (int i = 0; i < 200; ++i) {
    ended = false;
    auto subscription = store().Subscribe("", [&ended, &late] { late += ended ? 1 : 0; });
    subscription.reset();
    ended = true;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(late, 0);
}

TEST_P(ChangeContractTest, SubscriberMayEndItselfInItsCall) {
  std::atomic<int> calls = 0;
  std::unique_ptr<Subscription> subscription;
  subscription = store().Subscribe("", [&calls, &subscription] {
    ++calls;
    subscription.reset();
  });
  Create(KeyOf("a", "1"), VersionOf("1"));
  Create(KeyOf("a", "2"), VersionOf("2"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace asyncops::storage
