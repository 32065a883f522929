// The real store, reconcilers and cluster client over a fake kube-apiserver, with time, randomness
// and the network in a test's hand.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_CLUSTER_WORLD_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_CLUSTER_WORLD_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "reconciler/event_sink.h"
#include "reconciler/operation_reconciler.h"
#include "reconciler/resource_reconciler.h"
#include "reconciler/system_reconciler.h"
#include "reconciler/work_queue.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {

// Objects live in the namespace "team". For one thread, beside the one that reads Secrets again.
class ClusterWorld {
 public:
  ClusterWorld();
  ~ClusterWorld();

  void Start();
  // Forgets all but the file and the cluster, as kill -9 does.
  void Crash();
  // The informers fall behind, or catch up and follow.
  void SetInformersLive(bool live);

  // Creates the object that the YAML says in kube-apiserver; returns its uid.
  std::string Create(std::string_view yaml);
  // Reconciles all that is due, then delivers Events. Failures come again after 2 s, doubling to a
  // minute, as the worker pool has it.
  void Settle();
  void Pass(Duration by, Duration step = std::chrono::seconds(1));

  AsyncResourceStatus Resource(std::string_view name) const;
  AsyncOperationStatus Operation(std::string_view name) const;
  std::vector<std::string> Operations() const;
  // Requests of this method that the external system has seen.
  int Sent(std::string_view method) const;
  ResourceClient& resources();

  FakeClock clock;
  FakeIds ids;
  FakeTransport transport;
  FakeCluster cluster;
  FakeInformer resource_informer{cluster, "asyncresources", true};
  FakeInformer system_informer{cluster, "externalsystems", true};
  const TempDir directory;
  std::unique_ptr<storage::Store> store;
  int reconciles = 0;
  int failures = 0;

 private:
  struct Running;
  void AddChanged();
  void Changed(WorkKey::Kind kind, const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  void NudgeAll() ASYNCOPS_EXCLUDES(mutex_);
  Result<std::optional<Time>> Reconcile(const WorkItem& item);

  FaultPoints no_faults_;
  storage::Revision seen_ = 0;
  std::map<WorkKey, int> failed_;
  Mutex mutex_;
  std::set<WorkKey> changed_ ASYNCOPS_GUARDED_BY(mutex_);
  bool nudge_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Running> running_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_CLUSTER_WORLD_H_
