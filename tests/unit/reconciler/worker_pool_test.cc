// The pool on its own threads and the real clock.
#include "reconciler/worker_pool.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "tests/support/fake_clock.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Next = Result<std::optional<Time>>;

// A test fails, rather than hangs, after this long.
constexpr seconds kPatience{30};

WorkKey Key(std::string name) {
  return {.kind = WorkKey::Kind::kOperation, .namespace_name = "team", .name = std::move(name)};
}

// Work that can be held up, and that is counted.
class Bench {
 public:
  Next Work(const WorkItem& item) {
    const MutexLock lock(mutex_);
    EXPECT_TRUE(busy_.insert(item.key.name).second) << "two threads at one key";
    ++done_[item.key.name];
    threads_.insert(std::this_thread::get_id());
    changed_.NotifyAll();
    while (held_.contains(item.key.name)) changed_.Wait(mutex_);
    busy_.erase(item.key.name);
    if (failing_) return Status(failure_, "away");
    return again_ > 0 && again_-- > 0 ? Next(clock_.Now() + milliseconds(5))
                                      : Next(std::optional<Time>());
  }
  void Hold(const std::string& name) {
    const MutexLock lock(mutex_);
    held_.insert(name);
  }
  void Release(const std::string& name) {
    const MutexLock lock(mutex_);
    held_.erase(name);
    changed_.NotifyAll();
  }
  void ComeAgain(int times) {
    const MutexLock lock(mutex_);
    again_ = times;
  }
  // Waits until the key was taken so often.
  bool Await(const std::string& name, int times) {
    const MutexLock lock(mutex_);
    while (done_[name] < times) {
      if (!changed_.WaitFor(mutex_, kPatience)) return false;
    }
    return true;
  }
  void Fail(bool failing, Reason how = Reason::kInternalError) {
    const MutexLock lock(mutex_);
    failing_ = failing;
    failure_ = how;
  }
  // How many threads have worked.
  std::size_t threads() {
    const MutexLock lock(mutex_);
    return threads_.size();
  }
  int done(const std::string& name) {
    const MutexLock lock(mutex_);
    return done_[name];
  }

 private:
  const SystemClock clock_;
  Mutex mutex_;
  CondVar changed_;
  std::set<std::string> held_ ASYNCOPS_GUARDED_BY(mutex_);
  std::set<std::string> busy_ ASYNCOPS_GUARDED_BY(mutex_);
  std::map<std::string, int> done_ ASYNCOPS_GUARDED_BY(mutex_);
  std::set<std::thread::id> threads_ ASYNCOPS_GUARDED_BY(mutex_);
  int again_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  bool failing_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  Reason failure_ ASYNCOPS_GUARDED_BY(mutex_) = Reason::kInternalError;
};

class WorkerPoolTest : public testing::Test {
 protected:
  std::unique_ptr<WorkerPool> Start(int workers, Duration kept_idle = WorkerPool::kKeptIdle) {
    return std::make_unique<WorkerPool>(
        workers, [this](const WorkItem& item) { return bench_.Work(item); }, clock_, metrics_,
        kept_idle);
  }
  bool AwaitThreads(const WorkerPool& pool, std::int64_t threads) {
    const SteadyTime end = clock_.SteadyNow() + kPatience;
    while (pool.threads() != threads && clock_.SteadyNow() < end) std::this_thread::yield();
    return pool.threads() == threads;
  }
  bool AwaitDepth(const WorkerPool& pool, std::size_t depth) {
    const SteadyTime end = clock_.SteadyNow() + kPatience;
    while (pool.depth() != depth && clock_.SteadyNow() < end) std::this_thread::yield();
    return pool.depth() == depth;
  }

  const SystemClock clock_;
  ReconcileMetrics metrics_;
  Bench bench_;
};

TEST_F(WorkerPoolTest, AKeyThatHangsHoldsNoOtherKey) {
  bench_.Hold("slow");
  const auto pool = Start(2);
  pool->Add(Key("slow"), false);
  ASSERT_TRUE(bench_.Await("slow", 1));
  for (int i = 0; i < 50; ++i) pool->Add(Key("quick" + std::to_string(i)), false);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(bench_.Await("quick" + std::to_string(i), 1));
  // A key stays until its work has ended; what is awaited above is that it began.
  EXPECT_TRUE(AwaitDepth(*pool, 1));
  bench_.Release("slow");
}

TEST_F(WorkerPoolTest, AKeyThatIsAddedWhileItIsWorkedOnWaitsForItself) {
  bench_.Hold("a");
  const auto pool = Start(4);
  pool->Add(Key("a"), false);
  ASSERT_TRUE(bench_.Await("a", 1));
  pool->Add(Key("a"), false);
  pool->Add(Key("b"), false);
  ASSERT_TRUE(bench_.Await("b", 1));
  EXPECT_EQ(bench_.done("a"), 1);
  bench_.Release("a");
  EXPECT_TRUE(bench_.Await("a", 2));
}

TEST_F(WorkerPoolTest, ATimeThatComesBeforeTheOneThatIsWaitedForCounts) {
  const auto pool = Start(3);
  // The first thread waits for the late key; the early one must not wait with it.
  pool->AddAt(Key("late"), clock_.Now() + seconds(60), WorkLevel::kNormal);
  const SteadyTime begun = clock_.SteadyNow();
  bench_.ComeAgain(20);
  pool->Add(Key("often"), false);
  EXPECT_TRUE(bench_.Await("often", 21));
  EXPECT_LT(clock_.SteadyNow() - begun, seconds(4)) << "nobody slept through its time";
  pool->AddAt(Key("early"), clock_.Now() + milliseconds(5), WorkLevel::kBacklog);
  EXPECT_TRUE(bench_.Await("early", 1));
  EXPECT_LT(clock_.SteadyNow() - begun, seconds(4));
}

TEST_F(WorkerPoolTest, FewThreadsDoTheWorkOfAQuietTime) {
  const auto pool = Start(16);
  bench_.ComeAgain(100);
  pool->Add(Key("often"), false);
  EXPECT_TRUE(bench_.Await("often", 101));
  EXPECT_LE(bench_.threads(), 4U) << "who works, who waits for the next, and some at the start";
}

TEST_F(WorkerPoolTest, ThreadsComeAsTheyAreNeededAndGoWhenTheyAreNot) {
  const auto pool = Start(8, milliseconds(20));
  EXPECT_EQ(pool->threads(), 1);
  for (const int round : {1, 2}) {
    for (int i = 0; i < 10; ++i) {
      bench_.Hold(std::to_string(i));
      pool->Add(Key(std::to_string(i)), false);
    }
    EXPECT_TRUE(AwaitThreads(*pool, 8)) << "and no more";
    for (int i = 0; i < 10; ++i) bench_.Release(std::to_string(i));
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(bench_.Await(std::to_string(i), round));
    EXPECT_TRUE(AwaitThreads(*pool, 1)) << "who looks after the queue stays";
  }
}

TEST_F(WorkerPoolTest, KeysOfOneMomentDoNotWaitForThoseThatHang) {
  for (const int hanging : {1, 3}) {
    const auto pool = Start(4);
    const std::string round = std::to_string(hanging) + "-";
    for (int i = 0; i < hanging; ++i) bench_.Hold(round + std::to_string(i));
    const Time due = clock_.Now() + seconds(1);
    for (int i = 0; i < 20; ++i)
      pool->AddAt(Key(round + std::to_string(i)), due, WorkLevel::kNormal);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(bench_.Await(round + std::to_string(i), 1)) << i;
    EXPECT_LT(clock_.Now() - due, seconds(3)) << "nobody waited for the backstop";
    for (int i = 0; i < hanging; ++i) bench_.Release(round + std::to_string(i));
  }
}

TEST_F(WorkerPoolTest, AFailureOfOursIsTriedAgainAfterAPause) {
  std::atomic<int> calls = 0;
  WorkerPool pool(
      1,
      [&calls](const WorkItem& /*item*/) -> Next {
        ++calls;
        return Status(Reason::kServiceUnavailable, "the disk is full");
      },
      clock_, metrics_);
  pool.Add(Key("a"), false);
  pool.Add(Key("b"), false);
  const SteadyTime end = clock_.SteadyNow() + kPatience;
  while (pool.errors() < 2 && clock_.SteadyNow() < end) pool.AwaitStop(milliseconds(10));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(pool.depth(), 2U) << "both wait";
}

TEST_F(WorkerPoolTest, ItStopsWhenTheLastStepHasEnded) {
  bench_.Hold("slow");
  const auto pool = Start(2);
  pool->Add(Key("slow"), false);
  ASSERT_TRUE(bench_.Await("slow", 1));
  pool->RequestStop();
  EXPECT_FALSE(pool->AwaitStop(milliseconds(20)));
  pool->Add(Key("late"), false);
  bench_.Release("slow");
  EXPECT_TRUE(pool->AwaitStop(kPatience));
  EXPECT_EQ(bench_.done("late"), 0) << "nothing is taken any more";
  pool->Join();
}

// The pool's clock in the test's hand: threads look at it whenever a key is added.
class WorkerPoolFailureTest : public WorkerPoolTest {
 protected:
  WorkerPoolFailureTest()
      : pool_(
            1, [this](const WorkItem& item) { return bench_.Work(item); }, fake_, metrics_) {
    bench_.Fail(true);
  }
  // Moves the clock on and lets the pool look; how often "a" was taken by then.
  int After(Duration time) {
    fake_.Advance(time);
    const std::string other = "look" + std::to_string(++looks_);
    pool_.Add(Key(other), false);
    EXPECT_TRUE(bench_.Await(other, 1));
    // What is due is taken in a row: a second look comes behind it.
    pool_.Add(Key(other + "b"), false);
    EXPECT_TRUE(bench_.Await(other + "b", 1));
    return bench_.done("a");
  }

  FakeClock fake_;
  int looks_ = 0;
  WorkerPool pool_;
};

TEST_F(WorkerPoolFailureTest, AKeyThatFailsComesLessAndLessOften) {
  pool_.Add(Key("a"), false);
  int done = After(seconds(0));
  EXPECT_EQ(done, 1);
  for (const int pause : {2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(After(seconds(pause) - milliseconds(1)), done) << pause;
    EXPECT_EQ(After(milliseconds(1)), ++done) << pause;
  }
}

TEST_F(WorkerPoolFailureTest, WhereKubeApiserverIsAwayAKeyComesSoonAfterItsReturn) {
  bench_.Fail(true, Reason::kServiceUnavailable);
  pool_.Add(Key("a"), false);
  int done = After(seconds(0));
  for (const int pause : {2, 4, 8, 15, 15}) {
    EXPECT_EQ(After(seconds(pause) - milliseconds(1)), done) << pause;
    EXPECT_EQ(After(milliseconds(1)), ++done) << pause;
  }
}

TEST_F(WorkerPoolFailureTest, AKeyThatIsAddedDoesNotWaitAndOneThatWentWellBeginsAnew) {
  pool_.Add(Key("a"), false);
  for (int i = 0; i < 6; ++i) After(seconds(60));
  const int before = After(seconds(1));
  bench_.Fail(false);
  pool_.Add(Key("a"), false);
  EXPECT_EQ(After(seconds(0)), before + 1);
  EXPECT_EQ(After(seconds(300)), before + 1);
  bench_.Fail(true);
  pool_.Add(Key("a"), false);
  EXPECT_EQ(After(seconds(0)), before + 2);
  EXPECT_EQ(After(seconds(1)), before + 2);
  EXPECT_EQ(After(seconds(1)), before + 3) << "two seconds again";
}

}  // namespace
}  // namespace asyncops::reconciler
