// A kube-apiserver as the reconciler sees it: objects with versions, merge patches, status apart.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_FAKE_CLUSTER_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_FAKE_CLUSTER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "kube/api_client.h"
#include "kube/informer.h"

namespace asyncops::reconciler {

// Serves namespaced objects of any resource by its plural. Safe for use from several threads.
class FakeCluster final : public kube::ApiClient {
 public:
  // Looks at a request first: what it gives is the answer. It may change the cluster.
  using Intercept = std::function<std::optional<Status>(const kube::ApiRequest& request)>;

  Result<Json> Call(const kube::ApiRequest& request) override ASYNCOPS_EXCLUDES(mutex_);
  Status Watch(const kube::ApiRequest&, const std::function<bool(kube::WatchEvent)>&) override {
    return Status::Ok();
  }
  void Cancel() override {}

  // Not reached from now on, or again.
  void SetAway(bool away) ASYNCOPS_EXCLUDES(mutex_);
  bool away() const ASYNCOPS_EXCLUDES(mutex_);
  void SetIntercept(Intercept intercept) ASYNCOPS_EXCLUDES(mutex_);

  // Creates or replaces, as somebody else would.
  void Put(std::string_view plural, Json object) ASYNCOPS_EXCLUDES(mutex_);
  void Edit(std::string_view plural, std::string_view name, const std::function<void(Json*)>& edit)
      ASYNCOPS_EXCLUDES(mutex_);
  void Remove(std::string_view plural, std::string_view name) ASYNCOPS_EXCLUDES(mutex_);
  // Null where there is none.
  Json Find(std::string_view plural, std::string_view name) const ASYNCOPS_EXCLUDES(mutex_);
  std::map<kube::ObjectKey, Json> All(std::string_view plural) const ASYNCOPS_EXCLUDES(mutex_);

  // "PATCH asyncresources/vol/status" of each call that came through, since the last time.
  std::vector<std::string> TakeCalls() ASYNCOPS_EXCLUDES(mutex_);
  // The last request with this method.
  kube::ApiRequest LastOf(std::string_view method) const ASYNCOPS_EXCLUDES(mutex_);
  int calls() const ASYNCOPS_EXCLUDES(mutex_);

  // Called after each change.
  void OnChange(std::function<void()> changed) ASYNCOPS_EXCLUDES(mutex_);

 private:
  struct Target {
    std::string plural;
    kube::ObjectKey key;
    std::string subresource;
  };
  static Target Parse(std::string_view target);
  Result<Json> Answer(const kube::ApiRequest& request, const Target& target)
      ASYNCOPS_REQUIRES(mutex_);
  Result<Json> Create(const Target& target, Json object) ASYNCOPS_REQUIRES(mutex_);
  Result<Json> Patch(const Target& target, const Json& patch) ASYNCOPS_REQUIRES(mutex_);
  void Store(const std::string& plural, const kube::ObjectKey& key, Json object)
      ASYNCOPS_REQUIRES(mutex_);
  void Tell() ASYNCOPS_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::map<kube::ObjectKey, Json>, std::less<>> objects_
      ASYNCOPS_GUARDED_BY(mutex_);
  std::int64_t version_ ASYNCOPS_GUARDED_BY(mutex_) = 100;
  bool away_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  Intercept intercept_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<std::string> calls_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<kube::ApiRequest> requests_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> changed_ ASYNCOPS_GUARDED_BY(mutex_);
};

// Shows what a cluster had when it was last synced; follows it by itself where `live`.
class FakeInformer final : public kube::Informer {
 public:
  FakeInformer(FakeCluster& cluster, std::string plural, bool live);

  // The first list, or a later look. A cluster that is away is not asked.
  void Sync() ASYNCOPS_EXCLUDES(mutex_);
  void SetLive(bool live) ASYNCOPS_EXCLUDES(mutex_);

  std::shared_ptr<const Json> Get(const kube::ObjectKey& key) const override
      ASYNCOPS_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<const Json>> List() const override ASYNCOPS_EXCLUDES(mutex_);
  kube::InformerHealth health() const override ASYNCOPS_EXCLUDES(mutex_);
  bool WaitForSync(Duration) const override { return health().synced; }
  std::unique_ptr<Handler> OnChange(std::function<void(const kube::ObjectKey&)> changed) override
      ASYNCOPS_EXCLUDES(mutex_);

 private:
  FakeCluster& cluster_;
  const std::string plural_;
  mutable Mutex mutex_;
  bool live_ ASYNCOPS_GUARDED_BY(mutex_);
  bool synced_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::map<kube::ObjectKey, std::shared_ptr<const Json>> objects_ ASYNCOPS_GUARDED_BY(mutex_);
  class Token;
  int next_handler_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  std::map<int, std::function<void(const kube::ObjectKey&)>> handlers_ ASYNCOPS_GUARDED_BY(mutex_);
};

// The Status of a 404 of this object, as kube-apiserver sends it.
Status ObjectNotFound(std::string_view plural, std::string_view name);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_FAKE_CLUSTER_H_
