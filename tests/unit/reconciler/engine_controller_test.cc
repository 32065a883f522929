// The controller on its own threads and the real clock.
#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/schema/binding.h"
#include "base/mutex.h"
#include "reconciler/controller.h"
#include "reconciler/local_resource_client.h"
#include "reconciler/owner_epoch.h"
#include "storage/sqlite_store.h"
#include "tests/support/forwarding_store.h"
#include "tests/unit/reconciler/engine_world.h"

namespace asyncops::reconciler {
namespace {

// A test fails, rather than hangs, after this long.
constexpr std::chrono::seconds kPatience{30};

kube::Exchange Accepted() {
  return Answered(202, "", {{"Location", "http://cloud.example/v1/operations/7"}});
}

// Holds a call until it is cancelled.
class HangingTransport final : public kube::HttpTransport {
 public:
  kube::Exchange Send(const kube::OutboundRequest& /*request*/) override {
    const MutexLock lock(mutex_);
    called_ = true;
    changed_.NotifyAll();
    while (!cancelled_) changed_.Wait(mutex_);
    return Ambiguous("cut");
  }
  void Cancel() override {
    const MutexLock lock(mutex_);
    cancelled_ = true;
    changed_.NotifyAll();
  }
  bool AwaitCall() {
    const MutexLock lock(mutex_);
    while (!called_) {
      if (!changed_.WaitFor(mutex_, kPatience)) return called_;
    }
    return true;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool called_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  bool cancelled_ ASYNCOPS_GUARDED_BY(mutex_) = false;
};

// Reads what is there and writes nothing, like a store whose disk is full.
class FullStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  void Write(storage::WriteFunction /*write*/, storage::WriteDone done) override {
    done(Status(Reason::kServiceUnavailable, "the disk is full"));
  }
  Status Health() const override { return Status::Ok(); }
};

class EngineControllerTest : public testing::Test {
 protected:
  // Puts the objects into the store, by way of a world that ends before the controller starts.
  EngineControllerTest() {
    world_.Start();
    world_.Create(CloudYaml(true));
    world_.Create(OperationYaml());
  }

  // Waits until the operation is in this state.
  bool Await(std::string_view state) {
    return AwaitThat([this, state] { return world_.Operation("op").state == state; });
  }
  // Waits until it is so.
  bool AwaitThat(const std::function<bool()>& so) {
    const std::unique_ptr<storage::Subscription> changes = world_.store->Subscribe("", [this] {
      const MutexLock lock(mutex_);
      ++writes_;
      changed_.NotifyAll();
    });
    const SteadyTime end = clock_.SteadyNow() + kPatience;
    while (clock_.SteadyNow() < end) {
      if (so()) return true;
      const MutexLock lock(mutex_);
      changed_.WaitFor(mutex_, std::chrono::milliseconds(100));
    }
    return false;
  }

  std::unique_ptr<Controller> Run(ExternalClient& external, ResourceClient& resources) {
    return *StartController({.shards = 4, .workers = 4}, *world_.store, resources, external, clock_,
                            ids_);
  }

  EngineWorld world_;
  const SystemClock clock_;
  RandomIds ids_;
  Mutex mutex_;
  CondVar changed_;
  int writes_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
};

TEST_F(EngineControllerTest, DrivesWhatIsThereAndWhatComes) {
  FakeTransport transport;
  transport.Handle([](const kube::OutboundRequest& request) {
    return request.method == "GET" ? Answered(200, R"({"id":"v1"})") : Accepted();
  });
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const std::unique_ptr<Controller> controller = Run(external, *resources);
  EXPECT_TRUE(Await("Succeeded"));
  EXPECT_GT(controller->stats().reconciles, 0);
  EXPECT_EQ(controller->stats().errors, 0);
  EXPECT_THAT(controller->MetricsText(),
              testing::HasSubstr("controller_runtime_max_concurrent_reconciles{controller="
                                 "\"asyncops\"} 4\n"));
  EXPECT_THAT(controller->MetricsText(),
              testing::Not(testing::HasSubstr("workqueue_adds_total{name=\"asyncops\",controller="
                                              "\"asyncops\"} 0\n")));
  controller->Stop(std::chrono::seconds(5));
  controller->Stop(std::chrono::seconds(5));
  EXPECT_FALSE(transport.cancelled()) << "nothing hung";
}

TEST_F(EngineControllerTest, DoesNotStartWhereItsOwnershipCannotBeWritten) {
  FakeTransport transport;
  FullStore full(*world_.store);
  const auto resources = MakeLocalResourceClient(full, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const auto controller = StartController({.shards = 1}, full, *resources, external, clock_, ids_);
  ASSERT_FALSE(controller.ok());
  EXPECT_EQ(controller.status().message(),
            "the new owner of operations cannot be recorded: the disk is full");
  EXPECT_TRUE(transport.requests().empty()) << "nothing is sent by who does not own it";
}

TEST_F(EngineControllerTest, StopsThoughACallHangsAndLeavesItsIntent) {
  HangingTransport transport;
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const std::unique_ptr<Controller> controller = Run(external, *resources);
  ASSERT_TRUE(transport.AwaitCall());
  EXPECT_EQ(world_.Row("op").state, "Intent");
  controller->Stop(std::chrono::milliseconds(50));
  EXPECT_EQ(world_.Row("op").state, "Recovering") << "a call that is cut is of unknown outcome";
}

TEST_F(EngineControllerTest, SystemsThatNobodyUsesGetTheirStatusHoweverManyCome) {
  constexpr int kSystems = 40;
  const auto name_of = [](int i) { return "unused" + std::to_string(i); };
  for (int i = 0; i < kSystems; ++i) {
    std::string yaml = CloudYaml(false);
    yaml.replace(yaml.find("name: cloud"), 11, "name: " + name_of(i));
    world_.Create(yaml);
  }
  FakeTransport transport;
  transport.Handle([](const kube::OutboundRequest& /*request*/) { return Accepted(); });
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const std::unique_ptr<Controller> controller = Run(external, *resources);
  const auto all_ready = [this, &name_of] {
    for (int i = 0; i < kSystems; ++i) {
      const Result<ExternalSystem> system =
          DecodeAs<ExternalSystem>(world_.Get("externalsystems", name_of(i)));
      if (EngineWorld::Show(system->status.conditions, "Ready") != "True/Configured") return false;
    }
    return true;
  };
  EXPECT_TRUE(AwaitThat(all_ready)) << "kubectl wait would hang";
}

TEST_F(EngineControllerTest, ASecretOfSomebodyElseWakesOnlyWhoWaitsForOne) {
  for (const std::string name : {"refused", "waiting"}) {
    std::string operation = OperationYaml("  retry: {tiers: [{delay: 1h}]}\n");
    operation.replace(operation.find("name: op}"), 9, "name: " + name + "}");
    operation.replace(operation.find("path: /volumes"), 14, "path: /" + name);
    world_.Create(operation);
  }
  FakeTransport transport;
  transport.Handle([](const kube::OutboundRequest& request) {
    return request.uri.target == "/v1/refused" ? Answered(401) : NotSent();
  });
  const auto sent = [&transport](std::string_view path) {
    const std::vector<kube::OutboundRequest> requests = transport.requests();
    return std::count_if(requests.begin(), requests.end(),
                         [path](const auto& request) { return request.uri.target == path; });
  };
  const auto resources = MakeLocalResourceClient(*world_.store, clock_, ids_);
  ExternalClient external(transport, *resources, clock_);
  const std::unique_ptr<Controller> controller = Run(external, *resources);
  ASSERT_TRUE(AwaitThat([this] {
    return world_.Operation("waiting").state == "Backoff" &&
           world_.Operation("refused").state == "Backoff";
  }));
  EXPECT_EQ(sent("/v1/refused"), 1);
  world_.Create("kind: Secret\napiVersion: v1\nmetadata: {name: another}\n");
  EXPECT_TRUE(AwaitThat([&sent] { return sent("/v1/refused") == 2; }));
  EXPECT_EQ(sent("/v1/waiting"), 1) << "its tier is not over, and a Secret changes nothing";
}

TEST_F(EngineControllerTest, EachStartIsALaterOwner) {
  const Result<std::int64_t> first = TakeOwnership(*world_.store);
  const Result<std::int64_t> second = TakeOwnership(*world_.store);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_LT(*first, *second);
}

}  // namespace
}  // namespace asyncops::reconciler
