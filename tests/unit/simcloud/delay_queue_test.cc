#include "tests/simcloud/delay_queue.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>

namespace asyncops::simcloud {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(DelayQueueTest, ShorterDelayOvertakesALongerOne) {
  const SystemClock clock;
  DelayQueue queue(clock);
  const auto ran = std::make_shared<std::promise<SteadyTime>>();
  const SteadyTime posted = clock.SteadyNow();
  ASSERT_TRUE(queue.Post(hours(1), [] {}));
  ASSERT_TRUE(queue.Post(milliseconds(20), [ran, &clock] { ran->set_value(clock.SteadyNow()); }));
  EXPECT_GE(ran->get_future().get() - posted, milliseconds(20));
}

TEST(DelayQueueTest, DestructionDropsWhatIsNotDueAndDoesNotWait) {
  const SystemClock clock;
  const auto token = std::make_shared<int>();
  {
    DelayQueue queue(clock);
    ASSERT_TRUE(queue.Post(hours(1), [token] { ADD_FAILURE() << "ran before it was due"; }));
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(DelayQueueTest, FullQueueRefuses) {
  const SystemClock clock;
  DelayQueue queue(clock);
  for (std::size_t i = 0; i < DelayQueue::kMaxTasks; ++i) ASSERT_TRUE(queue.Post(hours(1), [] {}));
  EXPECT_FALSE(queue.Post(hours(1), [] {}));
}

}  // namespace
}  // namespace asyncops::simcloud
