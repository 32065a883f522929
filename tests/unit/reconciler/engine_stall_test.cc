// The controller on its own threads, with systems that do not answer.
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "reconciler/controller.h"
#include "reconciler/local_resource_client.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

// A test fails, rather than hangs, after this long.
constexpr std::chrono::seconds kPatience{30};

// Calls to dead.example hang until they are cut; others are done at once.
class HalfDeadTransport final : public kube::HttpTransport {
 public:
  kube::Exchange Send(const kube::OutboundRequest& request) override {
    if (request.uri.host != "dead.example") return Answered(200, R"({"id":"v1"})");
    const MutexLock lock(mutex_);
    ++hanging_;
    changed_.NotifyAll();
    while (!cut_) changed_.Wait(mutex_);
    return Ambiguous("cut");
  }
  void Cancel() override {
    const MutexLock lock(mutex_);
    cut_ = true;
    changed_.NotifyAll();
  }
  // Waits until so many hang.
  bool Await(int calls) {
    const MutexLock lock(mutex_);
    while (hanging_ < calls) {
      if (!changed_.WaitFor(mutex_, kPatience)) return false;
    }
    return true;
  }
  int hanging() {
    const MutexLock lock(mutex_);
    return hanging_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int hanging_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  bool cut_ ASYNCOPS_GUARDED_BY(mutex_) = false;
};

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

class EngineStallTest : public testing::Test {
 protected:
  EngineStallTest() { world_.Start(); }

  void CreateSystem(const std::string& name) {
    const std::string named = Replaced(CloudYaml(true), "name: cloud", "name: " + name);
    world_.Create(Replaced(Replaced(named, "cloud.example", name + ".example"),
                           "requestTimeout: 10s", "requestTimeout: 30s, requestsPerSecond: 10000"));
  }
  void CreateOperation(const std::string& name, const std::string& system) {
    world_.Create(Replaced(Replaced(OperationYaml(), "name: op}", "name: " + name + "}"),
                           "name: cloud", "name: " + system));
  }
  // Waits until all operations NAME0, NAME1, ... have succeeded.
  bool AwaitSuccess(const std::string& name, int count) {
    const SteadyTime end = clock_.SteadyNow() + kPatience;
    for (int i = 0; i < count;) {
      if (world_.Operation(name + std::to_string(i)).state == "Succeeded") {
        ++i;
      } else if (clock_.SteadyNow() > end) {
        return false;
      }
    }
    return true;
  }

  EngineWorld world_;
  const SystemClock clock_;
  RandomIds ids_;
};

TEST_F(EngineStallTest, ASystemThatHangsHoldsUpNoOther) {
  CreateSystem("dead");
  CreateSystem("well");
  for (int i = 0; i < 200; ++i) CreateOperation("stuck" + std::to_string(i), "dead");
  HalfDeadTransport transport;
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const auto controller = *StartController({}, *world_.store, *resources, external, clock_, ids_);
  ASSERT_TRUE(transport.Await(kDefaultWorkers / 2)) << "half of the workers are its own";
  for (int i = 0; i < 20; ++i) CreateOperation("quick" + std::to_string(i), "well");
  EXPECT_TRUE(AwaitSuccess("quick", 20));
  EXPECT_EQ(transport.hanging(), kDefaultWorkers / 2) << "and no more than half";
  controller->Stop(std::chrono::milliseconds(10));
}

TEST_F(EngineStallTest, WhatIsNewGoesBeforeTheBacklogOfAStart) {
  constexpr int kOld = 200;
  CreateSystem("well");
  for (int i = 0; i < kOld; ++i) CreateOperation("old" + std::to_string(i), "well");
  HalfDeadTransport transport;
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const auto controller =
      *StartController({.workers = 1}, *world_.store, *resources, external, clock_, ids_);
  CreateOperation("new0", "well");
  ASSERT_TRUE(AwaitSuccess("new", 1));
  int done = 0;
  for (int i = 0; i < kOld; ++i)
    done += world_.Operation("old" + std::to_string(i)).state == "Succeeded" ? 1 : 0;
  EXPECT_LT(done, kOld / 2);
  EXPECT_TRUE(AwaitSuccess("old", kOld)) << "and all of the backlog is done, too";
  controller->Stop(std::chrono::milliseconds(10));
}

TEST_F(EngineStallTest, ASystemShowsThatItIsWellAndTellsItsOperationsWhenItAppears) {
  CreateOperation("early0", "well");
  HalfDeadTransport transport;
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const auto controller = *StartController({}, *world_.store, *resources, external, clock_, ids_);
  const SteadyTime end = clock_.SteadyNow() + kPatience;
  while (EngineWorld::Show(world_.Operation("early0").conditions, "Ready") !=
             "False/ExternalSystemNotFound" &&
         clock_.SteadyNow() < end) {
  }
  CreateSystem("well");
  EXPECT_TRUE(AwaitSuccess("early", 1)) << "not after the next look in five minutes";
  const auto ready = [this] {
    return world_.Get("externalsystems", "well").IntAt({"status", "observedGeneration"}, 0) == 1;
  };
  while (!ready() && clock_.SteadyNow() < end) {
  }
  EXPECT_TRUE(ready());
  const std::int64_t reconciles = controller->stats().reconciles;
  EXPECT_LT(reconciles, 60) << "status does not wake its own writer for ever";
  controller->Stop(std::chrono::milliseconds(10));
}

}  // namespace
}  // namespace asyncops::reconciler
