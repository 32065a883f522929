#include "controllers/controller_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "base/mutex.h"
#include "tests/support/forwarding_store.h"
#include "tests/unit/controllers/world.h"

namespace asyncops::controllers {
namespace {

// A test fails, rather than hangs, after this long.
constexpr std::chrono::seconds kPatience{30};

// A store that fails as it is told, and is otherwise the one below it.
class FailingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  // The next call of Changes answers this.
  void FailChanges(Status status) { changes_ = std::move(status); }
  // Each write answers this; OK writes again.
  void FailWrites(Status status) { writes_ = std::move(status); }

  Result<storage::ListEnd> ListRows(const storage::ListQuery& query,
                                    const storage::RowFunction& row) const override {
    ++lists_;
    return below().ListRows(query, row);
  }
  Result<storage::ChangeBatch> Changes(std::string_view resource, std::string_view namespace_name,
                                       storage::Revision after, int limit) const override {
    if (!changes_.ok()) return std::exchange(changes_, Status::Ok());
    return below().Changes(resource, namespace_name, after, limit);
  }
  void Write(storage::WriteFunction write, storage::WriteDone done) override {
    if (!writes_.ok()) return done(writes_);
    below().Write(std::move(write), std::move(done));
  }
  int lists() const { return lists_; }

 private:
  mutable Status changes_;
  Status writes_;
  mutable int lists_ = 0;
};

struct ControllersTest : testing::Test {
  void Run(Controllers* controllers) {
    while (true) {
      const Result<bool> more = controllers->Step(stop.get_token());
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) return;
    }
  }
  World world;
  FailingStore store{world.store()};
  const std::stop_source stop;
};

TEST_F(ControllersTest, WhatALostLogDidNotTellIsFoundByLooking) {
  Controllers controllers({}, store, world.clock());
  world.Put("owner");
  world.Put("child", {"owner"});
  Run(&controllers);
  world.Delete("owner");
  store.FailChanges(Status(Reason::kExpired, "compacted"));
  EXPECT_EQ(controllers.Step(stop.get_token()).status().reason(), Reason::kExpired);
  Run(&controllers);
  EXPECT_FALSE(world.Has("child"));
}

TEST_F(ControllersTest, WhatCannotBeWrittenIsDoneLater) {
  Controllers controllers({}, store, world.clock());
  world.Put("owner");
  world.Put("child", {"owner"});
  world.Put("doomed", {"nobody"});
  Run(&controllers);
  world.Delete("owner");
  store.FailWrites(Status(Reason::kServiceUnavailable, "the disk is full"));
  Status failure;
  for (int i = 0; i < 100 && failure.ok(); ++i)
    failure = controllers.Step(stop.get_token()).status();
  EXPECT_EQ(failure.reason(), Reason::kServiceUnavailable);
  EXPECT_TRUE(world.Has("child"));
  store.FailWrites(Status::Ok());
  Run(&controllers);
  EXPECT_THAT(world.Names(), testing::IsEmpty());
}

TEST_F(ControllersTest, AChangeThatConcernsNobodyCostsNoLook) {
  Controllers controllers({}, store, world.clock());
  world.Put("stranger");
  Run(&controllers);
  const int before = store.lists();
  for (int i = 0; i < 50; ++i) {
    const auto edit = [i](const storage::ObjectKey& /*key*/, Json* object) {
      object->Set("type", std::to_string(i));
      return Edit::kUpdate;
    };
    ASSERT_TRUE(
        EditObject(world.store(), world.clock().Now(), {"secrets", "team", "stranger"}, edit).ok());
  }
  Run(&controllers);
  EXPECT_EQ(store.lists(), before);
}

// Waits for a change of the store after which `condition` holds.
bool Await(storage::Store& store, const std::function<bool()>& condition) {
  Mutex mutex;
  CondVar changed;
  const auto subscription = store.Subscribe("", [&mutex, &changed] {
    const MutexLock lock(mutex);
    changed.NotifyAll();
  });
  for (int i = 0; i < 100; ++i) {
    if (condition()) return true;
    const MutexLock lock(mutex);
    changed.WaitFor(mutex, std::chrono::milliseconds(kPatience) / 100);
  }
  return condition();
}

TEST(ControllerLoopTest, WorksOnAThreadOfItsOwn) {
  World world;
  const SystemClock clock;
  world.Put("owner");
  world.Put("child", {"owner"});
  const ControllerLoop loop({}, world.store(), clock);
  world.Delete("owner");
  EXPECT_TRUE(Await(world.store(), [&world] { return !world.Has("child"); }));
}

TEST(ControllerLoopTest, EndsAtOnce) {
  World world;
  const SystemClock clock;
  const SteadyTime begin = clock.SteadyNow();
  for (int i = 0; i < 20; ++i) {
    const ControllerLoop loop({}, world.store(), clock);
  }
  EXPECT_LT(clock.SteadyNow() - begin, kPatience);
}

TEST(ClusterControllersTest, CountsAndLeavesTheRestToTheCluster) {
  World world;
  world.Restart({.event_ttl = std::chrono::seconds(1), .counts_only = true});
  world.Put("owner");
  world.Put("owned", {"owner"});
  world.Run();
  EXPECT_EQ(world.CountOf("secrets"), 2);
  world.Delete("owner");
  world.clock().Advance(std::chrono::hours(1));
  world.Run();
  EXPECT_TRUE(world.Has("owned"));
  EXPECT_EQ(world.CountOf("secrets"), 1);
  // The same without it.
  world.Restart();
  world.Run();
  EXPECT_FALSE(world.Has("owned"));
}

}  // namespace
}  // namespace asyncops::controllers
