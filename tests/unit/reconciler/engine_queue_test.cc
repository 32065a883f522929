#include <gtest/gtest.h>

#include "reconciler/work_queue.h"

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

TEST(WorkQueueTest, AShardDependsOnNamespaceAndNameAlone) {
  WorkKey resource = Key("a");
  resource.kind = WorkKey::Kind::kResource;
  EXPECT_EQ(ShardOf(Key("a"), 16), ShardOf(resource, 16));
  WorkKey elsewhere = Key("a");
  elsewhere.namespace_name = "other";
  EXPECT_NE(ShardOf(Key("a"), 1U << 30U), ShardOf(elsewhere, 1U << 30U));
}

}  // namespace
}  // namespace asyncops::reconciler
