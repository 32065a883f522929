// The controller over kube-apiserver, on its own threads and the real clock.
#include <gtest/gtest.h>
#include <thread>

#include "base/mutex.h"
#include "base/yaml.h"
#include "reconciler/cluster_events.h"
#include "reconciler/cluster_resource_client.h"
#include "reconciler/controller.h"
#include "reconciler/object_watch.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/reconciler/engine_world.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A test fails, rather than hangs, after this long.
constexpr seconds kPatience{30};

// Lets calls through once it is open.
class Latch {
 public:
  void Open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  // Until it is open.
  void Pass() {
    const MutexLock lock(mutex_);
    while (!open_) changed_.Wait(mutex_);
  }
  bool Await() {
    const MutexLock lock(mutex_);
    while (!open_) {
      if (!changed_.WaitFor(mutex_, kPatience)) return open_;
    }
    return true;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool open_ ASYNCOPS_GUARDED_BY(mutex_) = false;
};

class ClusterControllerTest : public testing::Test {
 protected:
  ClusterControllerTest() {
    Result<std::unique_ptr<storage::Store>> opened =
        storage::OpenSqliteStore({.path = directory_.File("store.db"), .vfs = ""}, clock_);
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
    resources_ = MakeClusterResourceClient({.client = cluster_,
                                            .resources = resource_informer_,
                                            .systems = system_informer_,
                                            .store = *store_,
                                            .clock = clock_,
                                            .ids = ids_});
    external_ = std::make_unique<ExternalClient>(transport_, *resources_, clock_);
    events_ = MakeClusterEventSink(cluster_);
    transport_.Handle([](const kube::OutboundRequest& request) {
      return request.method == "GET"
                 ? Answered(200, R"({"id":"v1"})")
                 : Answered(202, "", {{"Location", "http://cloud.example/v1/operations/7"}});
    });
  }

  void Put(std::string_view plural, const std::string& yaml, std::string_view uid) {
    Json object = ParseYaml(yaml)->front();
    object.ObjectAt("metadata").Set("namespace", "team");
    object.ObjectAt("metadata").Set("uid", uid);
    object.ObjectAt("metadata").Set("generation", 1);
    cluster_.Put(plural, std::move(object));
  }
  std::unique_ptr<Controller> Run(std::function<void()> cut = nullptr) {
    return *StartController(
        {.shards = 4, .workers = 4, .events = events_.get(), .cut = std::move(cut)}, *store_,
        *resources_, *external_, clock_, ids_);
  }
  bool AwaitEvent(std::string_view reason) {
    const SteadyTime end = clock_.SteadyNow() + kPatience;
    while (clock_.SteadyNow() < end) {
      for (const auto& [key, event] : cluster_.All("events")) {
        if (event.StringAt({"reason"}) == reason) return true;
      }
      std::this_thread::yield();
    }
    return false;
  }

  const SystemClock clock_;
  RandomIds ids_;
  const TempDir directory_;
  FakeCluster cluster_;
  FakeInformer resource_informer_{cluster_, "asyncresources", true};
  FakeInformer system_informer_{cluster_, "externalsystems", true};
  FakeTransport transport_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<ResourceClient> resources_;
  std::unique_ptr<ExternalClient> external_;
  std::unique_ptr<EventSink> events_;
};

TEST_F(ClusterControllerTest, DrivesWhatKubeApiserverHasAndTellsItsEventsThere) {
  const std::unique_ptr<Controller> controller = Run();
  Put("externalsystems", CloudYaml(true), "u-2");
  Put("asyncresources", ResourceYaml(), "u-1");
  EXPECT_TRUE(AwaitEvent("Succeeded"));
  controller->Stop(seconds(5));
  int stored = 0;
  EXPECT_TRUE(
      ForEachObject(*store_, "events", "", FieldSelector(), [&stored](const storage::Record&) {
        ++stored;
      }).ok());
  EXPECT_EQ(stored, 0) << "they are kube-apiserver's";
}

TEST_F(ClusterControllerTest, StopsThoughKubeApiserverHangs) {
  const auto hanging = std::make_shared<Latch>();
  const auto cut = std::make_shared<Latch>();
  cluster_.SetIntercept([hanging, cut](const kube::ApiRequest& request) -> std::optional<Status> {
    if (request.method != "PATCH") return std::nullopt;
    hanging->Open();
    cut->Pass();
    return Status(Reason::kServiceUnavailable, "cut");
  });
  const std::unique_ptr<Controller> controller = Run([cut] { cut->Open(); });
  Put("externalsystems", CloudYaml(true), "u-2");
  Put("asyncresources", ResourceYaml(), "u-1");
  ASSERT_TRUE(hanging->Await());
  const SteadyTime begun = clock_.SteadyNow();
  controller->Stop(milliseconds(50));
  EXPECT_LT(clock_.SteadyNow() - begun, seconds(5));
}

}  // namespace
}  // namespace asyncops::reconciler
