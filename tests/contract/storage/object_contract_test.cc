// Points: create, get, update, delete, and what a transaction is.
#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

class ObjectContractTest : public StoreContractTest {};
INSTANTIATE_TEST_SUITE_P(Stores, ObjectContractTest, testing::ValuesIn(AllStores()), KindName);

TEST_P(ObjectContractTest, CreatedObjectIsReadBackWholeWithItsRevision) {
  const ObjectKey key = KeyOf("default", "one");
  const Revision revision =
      Create(key, VersionOf("hello", {{"app", "x"}}, {{"status.phase", "Ready"}}));
  const auto record = store().Get(key);
  ASSERT_TRUE(record.ok()) << record.status().ToString();
  EXPECT_EQ(record->key, key);
  EXPECT_EQ(record->uid, "uid-of-it");
  EXPECT_EQ(record->revision, revision);
  EXPECT_EQ(record->json, JsonOf("hello", revision));
  EXPECT_EQ(record->summary, "");
  EXPECT_EQ(record->labels, EncodedPairs());
  EXPECT_EQ(record->fields, EncodedPairs());
}

TEST_P(ObjectContractTest, EmptyStoreIsAtRevisionOneAndKnowsNoObject) {
  EXPECT_EQ(store().revision(), 1);
  EXPECT_EQ(store().Get(KeyOf("default", "none")).status().reason(), Reason::kNotFound);
  EXPECT_TRUE(store().Health().ok());
}

TEST_P(ObjectContractTest, CreateOfATakenKeyIsAlreadyExists) {
  const ObjectKey key = KeyOf("default", "one");
  const Revision revision = Create(key, VersionOf("first"));
  const Status status = Write([&key](Transaction& transaction) {
    return transaction.Create(key, VersionOf("second")).status();
  });
  EXPECT_EQ(status.reason(), Reason::kAlreadyExists);
  EXPECT_EQ(store().Get(key)->json, JsonOf("first", revision));
}

TEST_P(ObjectContractTest, SameNameInAnotherNamespaceOrResourceIsAnotherObject) {
  const Revision first = Create(KeyOf("a", "one"), VersionOf("1"));
  const Revision second = Create(KeyOf("b", "one"), VersionOf("2"));
  const Revision third = Create({"events", "a", "one"}, VersionOf("3"));
  EXPECT_EQ(store().Get(KeyOf("a", "one"))->revision, first);
  EXPECT_EQ(store().Get(KeyOf("b", "one"))->revision, second);
  EXPECT_EQ(store().Get({"events", "a", "one"})->revision, third);
}

TEST_P(ObjectContractTest, UpdateWithThePresentRevisionReplacesTheObject) {
  const ObjectKey key = KeyOf("default", "one");
  const Revision first = Create(key, VersionOf("first", {{"a", "1"}}));
  Revision second = 0;
  ASSERT_TRUE(Write([&key, first, &second](Transaction& transaction) {
                const auto updated = transaction.Update(key, first, VersionOf("second"));
                if (updated.ok()) second = *updated;
                return updated.status();
              }).ok());
  EXPECT_GT(second, first);
  const auto record = store().Get(key);
  EXPECT_EQ(record->json, JsonOf("second", second));
  EXPECT_EQ(record->summary, "");
  EXPECT_EQ(store().revision(), second);
}

TEST_P(ObjectContractTest, UpdateWithAStaleRevisionIsAConflictAndChangesNothing) {
  const ObjectKey key = KeyOf("default", "one");
  const Revision first = Create(key, VersionOf("first"));
  const Revision second = Update(key, VersionOf("second"));
  const Status status = Write([&key, first](Transaction& transaction) {
    return transaction.Update(key, first, VersionOf("third")).status();
  });
  EXPECT_EQ(status.reason(), Reason::kConflict);
  EXPECT_EQ(store().Get(key)->json, JsonOf("second", second));
  EXPECT_EQ(store().revision(), second);
}

TEST_P(ObjectContractTest, UpdateAndDeleteOfAnUnknownObjectAreNotFound) {
  const ObjectKey key = KeyOf("default", "none");
  EXPECT_EQ(Write([&key](Transaction& transaction) {
              return transaction.Update(key, 0, VersionOf("x")).status();
            }).reason(),
            Reason::kNotFound);
  EXPECT_EQ(Write([&key](Transaction& transaction) {
              return transaction.Delete(key, 0, VersionOf("x").encoded).status();
            }).reason(),
            Reason::kNotFound);
}

TEST_P(ObjectContractTest, DeleteTakesARevisionOfItsOwnAndFreesTheName) {
  const ObjectKey key = KeyOf("default", "one");
  const Revision created = Create(key, VersionOf("first"));
  const Revision deleted = Delete(key);
  EXPECT_GT(deleted, created);
  EXPECT_EQ(store().Get(key).status().reason(), Reason::kNotFound);
  const Revision again = Create(key, VersionOf("second"));
  EXPECT_GT(again, deleted);
  EXPECT_EQ(store().Get(key)->json, JsonOf("second", again));
}

TEST_P(ObjectContractTest, DeleteWithAStaleRevisionIsAConflict) {
  const ObjectKey key = KeyOf("default", "one");
  const Revision first = Create(key, VersionOf("first"));
  Update(key, VersionOf("second"));
  const Status status = Write([&key, first](Transaction& transaction) {
    return transaction.Delete(key, first, VersionOf("last").encoded).status();
  });
  EXPECT_EQ(status.reason(), Reason::kConflict);
  EXPECT_TRUE(store().Get(key).ok());
}

TEST_P(ObjectContractTest, TransactionSeesItsOwnWrites) {
  const ObjectKey key = KeyOf("default", "one");
  const ObjectKey other = KeyOf("default", "two");
  const Status status = Write([&key, &other](Transaction& transaction) {
    ASYNCOPS_RETURN_IF_ERROR(transaction.Create(key, VersionOf("first")));
    const auto read = transaction.Get(key);
    if (!read.ok()) return read.status();
    EXPECT_EQ(read->json, JsonOf("first", read->revision));
    ASYNCOPS_RETURN_IF_ERROR(transaction.Update(key, read->revision, VersionOf("second")));
    EXPECT_EQ(transaction.Create(key, VersionOf("x")).status().reason(), Reason::kAlreadyExists);
    ASYNCOPS_RETURN_IF_ERROR(transaction.Create(other, VersionOf("other")));
    ASYNCOPS_RETURN_IF_ERROR(transaction.Delete(other, 0, VersionOf("last").encoded));
    EXPECT_EQ(transaction.Get(other).status().reason(), Reason::kNotFound);
    return Status::Ok();
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(store().Get(key)->json, JsonOf("second", store().Get(key)->revision));
  EXPECT_FALSE(store().Get(other).ok());
}

TEST_P(ObjectContractTest, FailedFunctionLeavesNothingOfObjectsRowsAndMessages) {
  const ObjectKey kept = KeyOf("default", "kept");
  const Revision before = Create(kept, VersionOf("before", {{"a", "1"}}));
  const Status status = Write([&kept](Transaction& transaction) {
    ASYNCOPS_RETURN_IF_ERROR(transaction.Update(kept, 0, VersionOf("after", {{"a", "2"}})));
    ASYNCOPS_RETURN_IF_ERROR(transaction.Create(KeyOf("default", "new"), VersionOf("x")));
    ASYNCOPS_RETURN_IF_ERROR(transaction.Create({"fresh", "default", "new"}, VersionOf("x")));
    OperationRow row;
    row.uid = "u1";
    ASYNCOPS_RETURN_IF_ERROR(transaction.operations().Insert(row));
    ASYNCOPS_RETURN_IF_ERROR(transaction.mailbox().Send(EventOf("x")));
    return BadRequest("no");
  });
  EXPECT_EQ(status, BadRequest("no"));
  EXPECT_EQ(store().Get(kept)->json, JsonOf("before", before));
  EXPECT_FALSE(store().Get(KeyOf("default", "new")).ok());
  EXPECT_EQ(store().engine().LatestOperation("u1").status().reason(), Reason::kNotFound);
  EXPECT_TRUE(store().engine().Outbox(10)->empty());
  EXPECT_EQ(store().revision(), before);
  EXPECT_EQ(Describe(Changes(before)), "");
  ListQuery query;
  query.resource = kResource;
  query.labels.requirements = {{"a", LabelRequirement::Operator::kIn, {"1"}}};
  EXPECT_EQ(NamesOf(List(query)), "default/kept");
  // The resource that only the failed function named is as unknown as before.
  EXPECT_GT(Create({"fresh", "default", "new"}, VersionOf("y")), before);
  EXPECT_TRUE(store().Get({"fresh", "default", "new"}).ok());
}

TEST_P(ObjectContractTest, SeveralWritesOfOneTransactionEachHaveTheirRevision) {
  std::vector<Revision> revisions;
  ASSERT_TRUE(Write([&revisions](Transaction& transaction) {
                for (const char* name : {"a", "b", "c"}) {
                  const auto created = transaction.Create(KeyOf("default", name), VersionOf(name));
                  if (!created.ok()) return created.status();
                  revisions.push_back(*created);
                }
                return Status::Ok();
              }).ok());
  ASSERT_EQ(revisions.size(), 3U);
  EXPECT_LT(revisions[0], revisions[1]);
  EXPECT_LT(revisions[1], revisions[2]);
  EXPECT_EQ(store().revision(), revisions[2]);
}

TEST_P(ObjectContractTest, EverythingIsThereAfterAReopenAndRevisionsGoOn) {
  const ObjectKey key = KeyOf("default", "one");
  Create(key, VersionOf("first"));
  const Revision updated = Update(key, VersionOf("second", {{"a", "1"}}));
  Create(KeyOf("default", "gone"), VersionOf("x"));
  const Revision deleted = Delete(KeyOf("default", "gone"));
  Reopen();
  EXPECT_EQ(store().revision(), deleted);
  EXPECT_EQ(store().Get(key)->json, JsonOf("second", updated));
  EXPECT_FALSE(store().Get(KeyOf("default", "gone")).ok());
  EXPECT_GT(Create(KeyOf("default", "gone"), VersionOf("y")), deleted);
}

TEST_P(ObjectContractTest, RevisionsAreNotReusedWhereTheNewestStatesAreCompactedAway) {
  const ObjectKey key = KeyOf("default", "one");
  Create(key, VersionOf("x"));
  Delete(key);
  CompactAll();
  Delete({"markers", "", "marker"});
  clock().Advance(kChangeLogRetention * 2);
  // Failing functions give the store occasions to compact and write nothing.
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(Write([](Transaction&) { return BadRequest("no"); }).ok());
    clock().Advance(kChangeLogRetention * 2);
  }
  const Revision newest = store().revision();
  Reopen();
  EXPECT_EQ(store().revision(), newest);
  EXPECT_GT(Create(key, VersionOf("y")), newest);
}

}  // namespace
}  // namespace asyncops::storage
