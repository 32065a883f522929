// What is received from outside, what it is about, and the hints that it leaves with an operation.
#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

class InboxContractTest : public StoreContractTest {
 protected:
  InboxMessage Message(const std::string& id, const std::string& subject = "op-1") {
    InboxMessage message;
    message.source = "callback";
    message.message_id = id;
    message.subject = subject;
    message.body = "body of " + id;
    message.received_at = clock().Now();
    return message;
  }
  OperationRow Row(const std::string& uid, int submission = 1, const std::string& id = "op-1") {
    OperationRow row;
    row.uid = uid;
    row.submission = submission;
    row.namespace_name = "team";
    row.name = "name-of-" + uid;
    row.state = "Submitted";
    row.operation_id = id;
    row.intent_at = clock().Now();
    return row;
  }
  Status Insert(const OperationRow& row) {
    return Write([&row](Transaction& tx) { return tx.operations().Insert(row); });
  }
  Status Hint(const std::string& uid, int submission) {
    const Time now = clock().Now();
    return Write([&uid, submission, now](Transaction& tx) {
      return tx.operations().Hint(uid, submission, now);
    });
  }
  bool Receive(const InboxMessage& message) {
    bool is_new = false;
    EXPECT_TRUE(Write([&message, &is_new](Transaction& tx) {
                  const Result<bool> received = tx.mailbox().Receive(message);
                  is_new = received.ok() && *received;
                  return received.status();
                }).ok());
    return is_new;
  }
  int CountUnmatched(const std::string& source, int limit) {
    int count = -1;
    EXPECT_TRUE(Write([&source, limit, &count](Transaction& tx) {
                  const Result<int> counted = tx.mailbox().CountUnmatched(source, limit);
                  count = counted.ok() ? *counted : -1;
                  return counted.status();
                }).ok());
    return count;
  }
  int Match(const std::string& source, const std::string& subject, const std::string& uid) {
    int count = -1;
    EXPECT_TRUE(Write([&source, &subject, &uid, &count](Transaction& tx) {
                  const Result<int> matched = tx.mailbox().Match(source, subject, uid, 2);
                  count = matched.ok() ? *matched : -1;
                  return matched.status();
                }).ok());
    return count;
  }
  std::int64_t AtMost() {
    std::int64_t count = -1;
    EXPECT_TRUE(Write([&count](Transaction& tx) {
                  count = *tx.mailbox().AtMost();
                  return Status::Ok();
                }).ok());
    return count;
  }
  // In a transaction and by a reader.
  std::vector<std::string> Found(const std::string& namespace_name, const std::string& id,
                                 int limit = 10) {
    std::vector<OperationRow> rows;
    EXPECT_TRUE(Write([&namespace_name, &id, &rows, limit](Transaction& tx) {
                  rows = *tx.operations().FindByOperationId(namespace_name, id, limit);
                  return Status::Ok();
                }).ok());
    EXPECT_EQ(*store().engine().FindByOperationId(namespace_name, id, limit), rows);
    std::vector<std::string> uids;
    for (const OperationRow& row : rows)
      uids.push_back(row.uid + "/" + std::to_string(row.submission));
    return uids;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, InboxContractTest, testing::ValuesIn(AllStores()), KindName);

TEST_P(InboxContractTest, RedeliveredMessageIsReceivedOncePerSourceAlsoAfterAReopen) {
  EXPECT_TRUE(Receive(Message("m1")));
  EXPECT_FALSE(Receive(Message("m1", "another subject")));
  InboxMessage other = Message("m1");
  other.source = "queue";
  EXPECT_TRUE(Receive(other));
  Reopen();
  EXPECT_FALSE(Receive(Message("m1")));
}

TEST_P(InboxContractTest, UnmatchedMessagesAreCountedPerSourceUpToTheLimit) {
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(Receive(Message(id)));
  InboxMessage matched = Message("d");
  matched.operation_uid = "u1";
  EXPECT_TRUE(Receive(matched));
  EXPECT_EQ(CountUnmatched("callback", 10), 3);
  EXPECT_EQ(CountUnmatched("callback", 2), 2);
  EXPECT_EQ(CountUnmatched("queue", 10), 0);
}

TEST_P(InboxContractTest, MatchTakesUnmatchedMessagesOfItsSourceAndSubjectAlone) {
  EXPECT_TRUE(Receive(Message("m1")));
  EXPECT_TRUE(Receive(Message("m2")));
  EXPECT_TRUE(Receive(Message("m3", "op-2")));
  InboxMessage other = Message("m4");
  other.source = "another system";
  EXPECT_TRUE(Receive(other));
  EXPECT_EQ(Match("callback", "op-1", "u1"), 2);
  EXPECT_EQ(Match("callback", "op-1", "u2"), 0) << "they are another's already";
  EXPECT_EQ(CountUnmatched("callback", 10), 1);
  EXPECT_FALSE(Receive(Message("m1"))) << "a matched message is still known";
  const auto messages = store().engine().Inbox("u1", 2, 10);
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_EQ(messages->at(0).body, "body of m1");
  EXPECT_EQ(messages->at(1).message_id, "m2");
  EXPECT_TRUE(store().engine().Inbox("u1", 1, 10)->empty()) << "of another submission";
  EXPECT_EQ(store().engine().Inbox("u1", 2, 1)->size(), 1U);
}

TEST_P(InboxContractTest, MessageWithoutABodyIsNotForReading) {
  InboxMessage hint = Message("m1");
  hint.body = "";
  hint.operation_uid = "u1";
  hint.submission = 2;
  EXPECT_TRUE(Receive(hint));
  EXPECT_TRUE(store().engine().Inbox("u1", 2, 10)->empty());
}

TEST_P(InboxContractTest, OldMessagesArePurgedByTheirKind) {
  const Time start = clock().Now();
  for (const int second : {1, 2, 3, 4}) {
    InboxMessage message = Message(std::to_string(second));
    message.received_at = start + std::chrono::seconds(second);
    if (second % 2 == 0) message.operation_uid = "u1";
    EXPECT_TRUE(Receive(message));
  }
  EXPECT_EQ(AtMost(), 4);
  const auto purge = [this, start](int matched, int unmatched, int limit) {
    int count = -1;
    EXPECT_TRUE(Write([start, matched, unmatched, limit, &count](Transaction& tx) {
                  count = *tx.mailbox().Purge(start + std::chrono::seconds(matched),
                                              start + std::chrono::seconds(unmatched), limit);
                  return Status::Ok();
                }).ok());
    return count;
  };
  EXPECT_EQ(purge(3, 0, 10), 1) << "matched, received before the third second";
  EXPECT_EQ(CountUnmatched("callback", 10), 2);
  EXPECT_EQ(purge(9, 9, 1), 2) << "one of each kind";
  EXPECT_EQ(purge(9, 9, 10), 1);
  EXPECT_EQ(AtMost(), 0);
}

TEST_P(InboxContractTest, DeletedMessagesBehindAnOldOneDoNotCountForEver) {
  constexpr int kMany = 100'001;
  const Time start = clock().Now();
  EXPECT_TRUE(Write([this, start](Transaction& tx) {
                InboxMessage message = Message("waits");
                message.received_at = start;
                ASYNCOPS_RETURN_IF_ERROR(tx.mailbox().Receive(message));
                message.operation_uid = "u1";
                for (int i = 0; i < kMany; ++i) {
                  message.message_id = std::to_string(i);
                  ASYNCOPS_RETURN_IF_ERROR(tx.mailbox().Receive(message));
                }
                return Status::Ok();
              }).ok());
  EXPECT_GE(AtMost(), kMany);
  EXPECT_TRUE(Write([start](Transaction& tx) {
                const Time later = start + std::chrono::seconds(1);
                return tx.mailbox().Purge(later, start, kMany - 10).status();
              }).ok());
  EXPECT_EQ(AtMost(), 11);
}

TEST_P(InboxContractTest, HintsAreCountedAndKeepTheTimeOfTheFirstUnanswered) {
  ASSERT_TRUE(Insert(Row("u1")).ok());
  const Time first = clock().Now();
  EXPECT_TRUE(Hint("u1", 1).ok());
  clock().Advance(std::chrono::seconds(5));
  EXPECT_TRUE(Hint("u1", 1).ok());
  Reopen();
  OperationRow row = *store().engine().LatestOperation("u1");
  EXPECT_EQ(row.hints, 2);
  EXPECT_EQ(row.hinted_at, first);
  row.hints_answered = 2;
  ASSERT_TRUE(
      Write([&row](Transaction& tx) { return tx.operations().Update(row, "Submitted"); }).ok());
  EXPECT_TRUE(Hint("u1", 1).ok());
  row = *store().engine().LatestOperation("u1");
  EXPECT_EQ(row.hints, 3);
  EXPECT_EQ(row.hinted_at, clock().Now());
  EXPECT_EQ(Hint("u1", 2).reason(), Reason::kNotFound);
}

TEST_P(InboxContractTest, HintThatComesDuringAStepIsNotUndoneByIt) {
  ASSERT_TRUE(Insert(Row("u1")).ok());
  OperationRow read = *store().engine().LatestOperation("u1");
  EXPECT_TRUE(Hint("u1", 1).ok());
  read.state = "Running";
  read.hints_answered = read.hints;
  ASSERT_TRUE(
      Write([&read](Transaction& tx) { return tx.operations().Update(read, "Submitted"); }).ok());
  const OperationRow row = *store().engine().LatestOperation("u1");
  EXPECT_EQ(row.state, "Running");
  EXPECT_EQ(row.hints, 1);
  EXPECT_EQ(row.hints_answered, 0);
}

TEST_P(InboxContractTest, OperationIsFoundByItsIdInItsNamespaceInItsLatestSubmission) {
  ASSERT_TRUE(Insert(Row("u1", 1)).ok());
  ASSERT_TRUE(Insert(Row("u1", 2, "op-9")).ok());
  ASSERT_TRUE(Insert(Row("u2")).ok());
  clock().Advance(std::chrono::seconds(1));
  ASSERT_TRUE(Insert(Row("u3")).ok());
  OperationRow elsewhere = Row("u4");
  elsewhere.namespace_name = "other";
  ASSERT_TRUE(Insert(elsewhere).ok());
  ASSERT_TRUE(Insert(Row("u5", 1, "")).ok());
  EXPECT_EQ(Found("team", "op-1"), (std::vector<std::string>{"u3/1", "u2/1"}));
  EXPECT_EQ(Found("team", "op-1", 1), (std::vector<std::string>{"u3/1"}));
  EXPECT_EQ(Found("team", "op-9"), (std::vector<std::string>{"u1/2"}));
  EXPECT_EQ(Found("other", "op-1"), (std::vector<std::string>{"u4/1"}));
  EXPECT_TRUE(Found("team", "").empty()) << "an operation without an ID is not known by none";
}

}  // namespace
}  // namespace asyncops::storage
