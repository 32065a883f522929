#include <gtest/gtest.h>

#include "reconciler/work_queue.h"
#include "tests/support/fake_clock.h"

namespace asyncops::reconciler {
namespace {

Time At(int seconds) { return Time(std::chrono::seconds(seconds)); }

WorkKey Key(std::string name) {
  return {.kind = WorkKey::Kind::kOperation, .namespace_name = "team", .name = std::move(name)};
}

std::string PopName(WorkQueue* queue, int seconds) {
  const std::optional<WorkItem> item = queue->Pop(At(seconds));
  return item ? item->key.name : "";
}

TEST(WorkQueueTest, AKeyThatIsAddedTwiceIsTakenOnce) {
  WorkQueue queue;
  queue.Add(Key("a"));
  queue.Add(Key("a"));
  EXPECT_EQ(PopName(&queue, 0), "a");
  EXPECT_EQ(PopName(&queue, 0), "");
}

TEST(WorkQueueTest, KeysAreTakenInTheOrderInWhichTheyBecameDue) {
  WorkQueue queue;
  queue.AddAt(Key("late"), At(2));
  queue.AddAt(Key("early"), At(1));
  queue.Add(Key("now"));
  EXPECT_EQ(PopName(&queue, 3), "now");
  EXPECT_EQ(PopName(&queue, 3), "early");
  EXPECT_EQ(PopName(&queue, 3), "late");
}

TEST(WorkQueueTest, AKeyThatIsWorkedOnIsNotTakenAgainUntilItIsDone) {
  WorkQueue queue;
  queue.Add(Key("a"));
  ASSERT_EQ(PopName(&queue, 0), "a");
  queue.Add(Key("a"));
  EXPECT_EQ(PopName(&queue, 0), "");
  queue.Done(Key("a"));
  EXPECT_EQ(PopName(&queue, 0), "a");
}

TEST(WorkQueueTest, ATimeThatIsAskedForWhileWorkedOnCountsAfterwards) {
  WorkQueue queue;
  queue.Add(Key("a"));
  ASSERT_EQ(PopName(&queue, 0), "a");
  queue.AddAt(Key("a"), At(5));
  queue.AddAt(Key("a"), At(3));
  queue.Done(Key("a"));
  EXPECT_EQ(queue.NextDue(), At(3));
  EXPECT_EQ(PopName(&queue, 2), "");
  EXPECT_EQ(PopName(&queue, 3), "a");
}

TEST(WorkQueueTest, TheEarliestTimeWins) {
  WorkQueue queue;
  queue.AddAt(Key("a"), At(5));
  queue.AddAt(Key("a"), At(9));
  EXPECT_EQ(queue.NextDue(), At(5));
  queue.AddAt(Key("a"), At(2));
  EXPECT_EQ(queue.NextDue(), At(2));
  queue.Add(Key("a"));
  EXPECT_EQ(PopName(&queue, 0), "a");
  queue.Done(Key("a"));
  EXPECT_EQ(queue.NextDue(), std::nullopt);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(WorkQueueTest, ANudgeStaysWithItsKeyUntilItIsTaken) {
  WorkQueue queue;
  queue.Add(Key("a"), true);
  queue.Add(Key("a"));
  EXPECT_TRUE(queue.Pop(At(0))->nudged);
  queue.Add(Key("a"), true);
  queue.Done(Key("a"));
  EXPECT_TRUE(queue.Pop(At(0))->nudged);
  queue.Done(Key("a"));
  queue.Add(Key("a"));
  EXPECT_FALSE(queue.Pop(At(0))->nudged);
}

TEST(WorkQueueTest, AKeyThatCameByItsTimeWasToldNothing) {
  WorkQueue queue;
  queue.AddAt(Key("a"), At(1));
  EXPECT_FALSE(queue.Pop(At(1))->told);
  queue.Done(Key("a"));
  queue.AddAt(Key("a"), At(2));
  queue.Add(Key("a"));
  EXPECT_TRUE(queue.Pop(At(1))->told);
  queue.AddAt(Key("a"), At(3));
  queue.Add(Key("a"));
  queue.Done(Key("a"));
  EXPECT_TRUE(queue.Pop(At(1))->told) << "while it was worked on";
}

TEST(WorkQueueTest, TheNewestChangeIsToldWhereNothingElseIs) {
  WorkQueue queue;
  queue.Add(Key("a"), false, 7);
  queue.Add(Key("a"), false, 5);
  EXPECT_EQ(queue.Pop(At(0))->changed, 7);
  queue.Add(Key("a"), false, 8);
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Pop(At(0))->changed, 8) << "what was told before is over";
  queue.Add(Key("a"), false, 9);
  queue.Add(Key("a"));
  queue.Add(Key("a"), false, 10);
  queue.Done(Key("a"));
  EXPECT_EQ(queue.Pop(At(0))->changed, 0);
}

TEST(WorkQueueTest, PollsThatAreAskedForAreToldWhereNothingElseIs) {
  WorkQueue queue;
  queue.Add(Key("a"), false, kPollsAsked);
  queue.Add(Key("a"), false, kPollsAsked);
  EXPECT_EQ(queue.Pop(At(0))->changed, kPollsAsked);
  for (const std::int64_t other : {0, 7}) {
    queue.Add(Key("a"), false, kPollsAsked);
    queue.Add(Key("a"), false, other);
    queue.Done(Key("a"));
    EXPECT_EQ(queue.Pop(At(0))->changed, 0) << other;
    queue.Add(Key("a"), false, other);
    queue.Add(Key("a"), false, kPollsAsked);
    queue.Done(Key("a"));
    EXPECT_EQ(queue.Pop(At(0))->changed, 0) << other;
  }
}

TEST(WorkQueueTest, WhatIsNewGoesFirstAndTheBacklogHasItsShare) {
  WorkQueue queue;
  for (const char* name : {"old1", "old2", "old3"})
    queue.AddAt(Key(name), At(0), WorkLevel::kBacklog);
  for (int i = 1; i <= 8; ++i) queue.Add(Key("new" + std::to_string(i)));
  std::string order;
  for (std::string name = PopName(&queue, 0); !name.empty(); name = PopName(&queue, 0))
    order += name + " ";
  EXPECT_EQ(order, "new1 new2 new3 old1 new4 new5 new6 old2 new7 new8 old3 ");
}

TEST(WorkQueueTest, AKeyOfTheBacklogThatChangesIsNew) {
  WorkQueue queue;
  for (const char* name : {"old1", "old2"}) queue.AddAt(Key(name), At(0), WorkLevel::kBacklog);
  queue.Add(Key("new"));
  EXPECT_EQ(PopName(&queue, 0), "new");
  queue.Add(Key("old2"));
  EXPECT_EQ(queue.due(), 2U);
  EXPECT_EQ(PopName(&queue, 0), "old2");
  EXPECT_EQ(PopName(&queue, 0), "old1");
  EXPECT_EQ(PopName(&queue, 0), "") << "and is there once";
  EXPECT_EQ(queue.due(), 0U);
}

TEST(WorkQueueTest, AKeyComesBackByItsTimeAsAnyOther) {
  WorkQueue queue;
  queue.AddAt(Key("old"), At(1), WorkLevel::kBacklog);
  queue.AddAt(Key("old"), At(5));
  EXPECT_EQ(queue.NextDue(), At(1));
  ASSERT_EQ(PopName(&queue, 1), "old");
  queue.AddAt(Key("old"), At(2));
  queue.Done(Key("old"));
  queue.AddAt(Key("older"), At(2), WorkLevel::kBacklog);
  EXPECT_EQ(PopName(&queue, 2), "old");
}

TEST(WorkQueueTest, AShardDependsOnNamespaceAndNameAlone) {
  WorkKey resource = Key("a");
  resource.kind = WorkKey::Kind::kResource;
  EXPECT_EQ(ShardOf(Key("a"), 16), ShardOf(resource, 16));
  WorkKey elsewhere = Key("a");
  elsewhere.namespace_name = "other";
  EXPECT_NE(ShardOf(Key("a"), 1U << 30U), ShardOf(elsewhere, 1U << 30U));
}

TEST(WorkQueueTest, ItsTimesAreThoseOfTheSteadyClock) {
  FakeClock clock;
  WorkQueue queue;
  queue.AddAt(Key("a"), QueueTimeOf(clock.Now() + std::chrono::seconds(10), clock));
  clock.SetNow(clock.Now() + std::chrono::hours(24));
  EXPECT_FALSE(queue.Pop(QueueNow(clock)).has_value()) << "a jump ahead brings nothing on";
  clock.SetNow(clock.Now() - std::chrono::hours(48));
  clock.Advance(std::chrono::seconds(10));
  EXPECT_TRUE(queue.Pop(QueueNow(clock)).has_value()) << "a jump back holds nothing up";
  EXPECT_EQ(QueueTimeOf(Time::min(), clock), Time::min());
  EXPECT_EQ(QueueTimeOf(clock.Now(), clock), Time::min()) << "what is due is due";
}

}  // namespace
}  // namespace asyncops::reconciler
