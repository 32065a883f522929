// A kube-apiserver without HTTP: it answers as a test says, and else from the objects that it
// holds.
#ifndef ASYNCOPS_TESTS_SUPPORT_FAKE_API_CLIENT_H_
#define ASYNCOPS_TESTS_SUPPORT_FAKE_API_CLIENT_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/api_client.h"

namespace asyncops {

// Records every request. A call is answered by the script, in order, then by the handler, then from
// the objects: get, list (limit, continue, fieldSelector of metadata.name and metadata.namespace),
// create, update, merge patch and delete, with finalizers, generation and the status subresource
// much as kube-apiserver does them. Watches follow the objects; they take real time where they have
// nothing to say. A collection is named by its cluster-wide path, "/api/v1/secrets", whether its
// objects have a namespace or not. Safe for use from several threads.
class FakeApiClient final : public kube::ApiClient {
 public:
  // The answer, or nothing to leave it to the objects. Called without a lock: it may block.
  using Handler = std::function<std::optional<Result<Json>>(const kube::ApiRequest&)>;
  // The same of a watch: the Status that it ends with, or nothing.
  using WatchEvents = std::function<bool(kube::WatchEvent)>;
  using WatchHandler =
      std::function<std::optional<Status>(const kube::ApiRequest&, const WatchEvents&)>;

  FakeApiClient() = default;

  Result<Json> Call(const kube::ApiRequest& request) override ASYNCOPS_EXCLUDES(mutex_);
  Status Watch(const kube::ApiRequest& request, const WatchEvents& event) override
      ASYNCOPS_EXCLUDES(mutex_);
  void Cancel() override ASYNCOPS_EXCLUDES(mutex_);

  // The next answer to a call that the script does not have yet.
  void Script(Result<Json> answer) ASYNCOPS_EXCLUDES(mutex_);
  // What the next watch tells, before it ends so.
  void ScriptWatch(std::vector<kube::WatchEvent> events, Status end) ASYNCOPS_EXCLUDES(mutex_);
  void Handle(Handler handler) ASYNCOPS_EXCLUDES(mutex_);
  void HandleWatch(WatchHandler handler) ASYNCOPS_EXCLUDES(mutex_);

  // Adds or replaces an object, as it is but for a new resourceVersion (and a uid where it has
  // none), and returns it.
  Json Put(const std::string& collection, Json object) ASYNCOPS_EXCLUDES(mutex_);
  // Takes it away at once, whatever its finalizers; nothing where there is none.
  void Remove(const std::string& collection, const std::string& namespace_name,
              const std::string& name) ASYNCOPS_EXCLUDES(mutex_);
  // The object as it is now.
  std::optional<Json> Find(const std::string& collection, const std::string& namespace_name,
                           const std::string& name) const ASYNCOPS_EXCLUDES(mutex_);
  // Those of a collection, by namespace and name.
  std::vector<Json> Objects(const std::string& collection) const ASYNCOPS_EXCLUDES(mutex_);

  // Ends every watch under way so; later ones are as ever.
  void EndWatches(const Status& how = Status::Ok()) ASYNCOPS_EXCLUDES(mutex_);
  // Forgets the changes until now and all continue tokens: older versions are Expired.
  void Compact() ASYNCOPS_EXCLUDES(mutex_);
  // Tells the watches of a collection the current version.
  void Bookmark(const std::string& collection) ASYNCOPS_EXCLUDES(mutex_);
  // Answers every call and watch so until it is OK, those under way included.
  void SetDown(const Status& how) ASYNCOPS_EXCLUDES(mutex_);

  std::vector<kube::ApiRequest> requests() const ASYNCOPS_EXCLUDES(mutex_);
  bool cancelled() const ASYNCOPS_EXCLUDES(mutex_);
  // Watches under way.
  int watches() const ASYNCOPS_EXCLUDES(mutex_);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name
  struct Change {
    std::int64_t version;
    std::string collection;
    std::string type;
    Json object;
  };
  struct Place;
  struct WatchScript {
    std::vector<kube::WatchEvent> events;
    Status end;
  };

  static Place PlaceOf(const kube::ApiRequest& request);
  Result<Json> Answer(const Place& place, const kube::ApiRequest& request)
      ASYNCOPS_REQUIRES(mutex_);
  Result<Json> List(const Place& place) ASYNCOPS_REQUIRES(mutex_);
  Result<Json> Create(const Place& place, Json object) ASYNCOPS_REQUIRES(mutex_);
  Result<Json> Replace(const Place& place, Json object) ASYNCOPS_REQUIRES(mutex_);
  Result<Json> Patch(const Place& place, const kube::ApiRequest& request, const Json& patch)
      ASYNCOPS_REQUIRES(mutex_);
  Result<Json> Delete(const Place& place, const Json& options) ASYNCOPS_REQUIRES(mutex_);
  Json Store(const std::string& collection, Json object) ASYNCOPS_REQUIRES(mutex_);
  void Erase(const std::string& collection, const Key& key) ASYNCOPS_REQUIRES(mutex_);
  Status Follow(const Place& place, const kube::ApiRequest& request, const WatchEvents& event)
      ASYNCOPS_EXCLUDES(mutex_);

  const SystemClock clock_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Result<Json>> script_ ASYNCOPS_GUARDED_BY(mutex_);
  std::deque<WatchScript> watch_script_ ASYNCOPS_GUARDED_BY(mutex_);
  Handler handler_ ASYNCOPS_GUARDED_BY(mutex_);
  WatchHandler watch_handler_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<kube::ApiRequest> requests_ ASYNCOPS_GUARDED_BY(mutex_);
  std::map<std::string, std::map<Key, Json>> objects_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<Change> log_ ASYNCOPS_GUARDED_BY(mutex_);
  // What a continue token stands for: the rest of a list.
  std::map<std::string, std::vector<Json>> rests_ ASYNCOPS_GUARDED_BY(mutex_);
  std::int64_t version_ ASYNCOPS_GUARDED_BY(mutex_) = 1;
  std::int64_t compacted_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  std::int64_t names_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  int epoch_ ASYNCOPS_GUARDED_BY(mutex_) = 0;  // of watches
  Status epoch_end_ ASYNCOPS_GUARDED_BY(mutex_);
  Status down_ ASYNCOPS_GUARDED_BY(mutex_);
  int watches_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  bool cancelled_ ASYNCOPS_GUARDED_BY(mutex_) = false;
};

// The path of the request, without its query.
std::string PathOf(const kube::ApiRequest& request);
// A parameter of its query, decoded; "" where it has none.
std::string QueryOf(const kube::ApiRequest& request, std::string_view name);

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_FAKE_API_CLIENT_H_
