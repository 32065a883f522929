// The engine's rows: operations, their history, inbox and outbox.
#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

class EngineContractTest : public StoreContractTest {
 protected:
  OperationRow FullRow() {
    OperationRow row;
    row.uid = "u1";
    row.submission = 2;
    row.namespace_name = "default";
    row.name = "create-x";
    row.state = "Intent";
    row.owner_epoch = 3;
    row.method = "POST";
    row.url = "https://cloud/v1/x";
    row.headers = R"([{"name":"a","value":"b"}])";
    row.body = std::string("{\"a\":\0}", 7);
    row.body_sha256 = "ab";
    row.idempotency_key = "key";
    row.correlation_id = "corr";
    row.callback_token_hash = "cd";
    row.intent_at = clock().Now();
    row.sent_at = clock().Now() + std::chrono::microseconds(1);
    row.submitted_at = clock().Now() + std::chrono::seconds(2);
    row.operation_id = "op";
    row.poll_url = "https://cloud/v1/ops/op";
    row.resource_id = "res";
    row.console_url = "https://console";
    row.submit_response = R"({"status":202})";
    row.remote_outcome = "Succeeded";
    row.attempt = 1;
    row.retry_count = 2;
    row.poll_failures = 3;
    row.polls = 4;
    row.next_attempt_at = clock().Now() + std::chrono::seconds(5);
    row.last_poll_at = clock().Now() + std::chrono::seconds(6);
    row.completed_at = clock().Now() + std::chrono::seconds(7);
    row.hints = 3;
    row.hinted_at = clock().Now() + std::chrono::seconds(8);
    row.hints_answered = 2;
    row.memo = R"({"outputs":{"id":"x"}})";
    return row;
  }
  Status Insert(const OperationRow& row) {
    return Write([&row](Transaction& transaction) { return transaction.operations().Insert(row); });
  }
  Status UpdateRow(const OperationRow& row, std::string_view expected) {
    return Write([&row, expected](Transaction& transaction) {
      return transaction.operations().Update(row, expected);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, EngineContractTest, testing::ValuesIn(AllStores()), KindName);

TEST_P(EngineContractTest, RowIsReadBackWholeAlsoAfterAReopen) {
  const OperationRow row = FullRow();
  ASSERT_TRUE(Insert(row).ok());
  EXPECT_EQ(*store().engine().LatestOperation("u1"), row);
  OperationRow empty;
  empty.uid = "u2";
  ASSERT_TRUE(Insert(empty).ok());
  Reopen();
  EXPECT_EQ(*store().engine().LatestOperation("u1"), row);
  EXPECT_EQ(*store().engine().LatestOperation("u2"), empty);
  EXPECT_EQ(store().engine().LatestOperation("u3").status().reason(), Reason::kNotFound);
}

TEST_P(EngineContractTest, IntentOfASubmissionIsRecordedOnceOnly) {
  OperationRow row = FullRow();
  ASSERT_TRUE(Insert(row).ok());
  row.idempotency_key = "another";
  EXPECT_EQ(Insert(row).reason(), Reason::kAlreadyExists);
  EXPECT_EQ(store().engine().LatestOperation("u1")->idempotency_key, "key");
  row.submission = 3;
  EXPECT_TRUE(Insert(row).ok());
  EXPECT_EQ(store().engine().LatestOperation("u1")->submission, 3);
}

struct UpdateCase {
  const char* reason;
  const char* expected_state;
  std::int64_t epoch;
  int submission;
  Reason outcome;
};

TEST_P(EngineContractTest, UpdateIsForTheOwnerInTheExpectedState) {
  const std::vector<UpdateCase> cases = {
      {"the same owner", "Intent", 3, 2, Reason::kOk},
      {"a later owner takes over", "Intent", 4, 2, Reason::kOk},
      {"an earlier owner was replaced", "Intent", 2, 2, Reason::kConflict},
      {"someone went on", "Submitted", 3, 2, Reason::kConflict},
      {"no such submission", "Intent", 3, 9, Reason::kNotFound},
  };
  for (const UpdateCase& item : cases) {
    const OperationRow row = FullRow();
    ASSERT_TRUE(Insert(row).ok()) << item.reason;
    OperationRow changed = row;
    changed.state = "Running";
    changed.owner_epoch = item.epoch;
    changed.submission = item.submission;
    changed.next_attempt_at.reset();
    EXPECT_EQ(UpdateRow(changed, item.expected_state).reason(), item.outcome) << item.reason;
    const bool stored = item.outcome == Reason::kOk;
    EXPECT_EQ(*store().engine().LatestOperation("u1"), stored ? changed : row) << item.reason;
    ASSERT_TRUE(
        Write([](Transaction& transaction) { return transaction.operations().Purge("u1"); }).ok());
  }
}

TEST_P(EngineContractTest, HistoryIsNumberedPerOperationAndReadInParts) {
  Attempt attempt;
  attempt.submission = 1;
  attempt.at = clock().Now();
  attempt.action = "Submit";
  attempt.method = "POST";
  attempt.url = "https://cloud/v1/x";
  attempt.http_status = 503;
  attempt.error_class = "Recoverable";
  attempt.message = "busy";
  attempt.state = "Submitting";
  attempt.next_step = "again in 10 s";
  attempt.next_attempt_at = clock().Now() + std::chrono::seconds(10);
  attempt.shard = 7;
  attempt.owner_epoch = 3;
  ASSERT_TRUE(Write([&attempt](Transaction& transaction) {
                for (const char* uid : {"u1", "u2", "u1", "u1"}) {
                  attempt.uid = uid;
                  ASYNCOPS_RETURN_IF_ERROR(transaction.operations().AppendAttempt(attempt));
                }
                return Status::Ok();
              }).ok());
  Reopen();
  const auto all = store().engine().History("u1", 0, 100);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 3U);
  attempt.uid = "u1";
  attempt.sequence = 1;
  EXPECT_EQ(all->at(0), attempt);
  EXPECT_EQ(all->at(2).sequence, 3);
  const auto part = store().engine().History("u1", 1, 1);
  ASSERT_EQ(part->size(), 1U);
  EXPECT_EQ(part->at(0).sequence, 2);
  EXPECT_TRUE(store().engine().History("u3", 0, 100)->empty());
}

TEST_P(EngineContractTest, PurgeRemovesRowsAndHistoryOfOneOperation) {
  ASSERT_TRUE(Insert(FullRow()).ok());
  ASSERT_TRUE(Write([](Transaction& transaction) {
                Attempt attempt;
                for (const char* uid : {"u1", "u2"}) {
                  attempt.uid = uid;
                  ASYNCOPS_RETURN_IF_ERROR(transaction.operations().AppendAttempt(attempt));
                }
                ASYNCOPS_RETURN_IF_ERROR(transaction.operations().Purge("none"));
                return transaction.operations().Purge("u1");
              }).ok());
  EXPECT_EQ(store().engine().LatestOperation("u1").status().reason(), Reason::kNotFound);
  EXPECT_TRUE(store().engine().History("u1", 0, 10)->empty());
  EXPECT_EQ(store().engine().History("u2", 0, 10)->size(), 1U);
}

TEST_P(EngineContractTest, OutboxKeepsMessagesInOrderUntilTheyAreDelivered) {
  ASSERT_TRUE(Write([this](Transaction& transaction) {
                for (const char* name : {"a", "b", "c"}) {
                  OutboxMessage message = EventOf(name);
                  message.created_at = clock().Now();
                  ASYNCOPS_RETURN_IF_ERROR(transaction.mailbox().Send(message));
                }
                return Status::Ok();
              }).ok());
  Reopen();
  const auto messages = store().engine().Outbox(2);
  ASSERT_EQ(messages->size(), 2U);
  const OutboxMessage& first = messages->at(0);
  EXPECT_EQ(first.dedup_name, "a");
  EXPECT_EQ(first.kind, "event");
  EXPECT_EQ(first.payload, "{}");
  EXPECT_EQ(first.created_at, clock().Now());
  EXPECT_LT(first.id, messages->at(1).id);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Write([&first](Transaction& transaction) {
                  return transaction.mailbox().Delivered(first.id);
                }).ok());
  }
  EXPECT_EQ(store().engine().Outbox(10)->at(0).dedup_name, "b");
}

TEST_P(EngineContractTest, IdOfADeliveredMessageIsNotGivenAgain) {
  const auto send = [this] {
    EXPECT_TRUE(Write([](Transaction& transaction) {
                  return transaction.mailbox().Send(EventOf("x"));
                }).ok());
    return store().engine().Outbox(1)->at(0).id;
  };
  const std::int64_t first = send();
  ASSERT_TRUE(Write([first](Transaction& transaction) {
                return transaction.mailbox().Delivered(first);
              }).ok());
  Reopen();
  EXPECT_GT(send(), first);
}

}  // namespace
}  // namespace asyncops::storage
