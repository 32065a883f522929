// What kube-apiserver has of one resource, kept up to date by list and watch: client-go's reflector
// and store in one.
#ifndef ASYNCOPS_KUBE_INFORMER_H_
#define ASYNCOPS_KUBE_INFORMER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops::kube {

struct InformerOptions {
  std::string path;  // of the collection: "/apis/asyncops.dev/v1alpha1/asyncresources"
  std::string field_selector = {};
  // What of an object is kept; null keeps it all. Pure.
  std::function<Json(const Json&)> reduce = nullptr;
  // The first wait after a failure, half of it more or less; each further one is twice as long, up
  // to the longest.
  std::chrono::milliseconds backoff{800};
  std::chrono::milliseconds longest_backoff{30000};
};

struct ObjectKey {
  std::string namespace_name;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};

// How it stands, for readiness, metrics and logs.
struct InformerHealth {
  bool synced = false;        // the first list is complete
  Status last_error;          // OK where the last list or watch went well
  SteadyTime last_contact{};  // the last event, bookmark or end of a watch that went well
  std::int64_t objects = 0;
};

// Runs a thread of its own from the start to the destructor. A relist replaces what is kept in one
// step; what cannot be listed any more (a 403, a 404 of the whole resource, a server that is away)
// leaves what was known as it is, for as long as it takes. Retries by jittered backoff (0.8 s to
// 30 s), or as the server asks. Objects of a list get apiVersion and kind where they lack them, as
// those of a watch have them. Safe for use from several threads.
class Informer {
 public:
  virtual ~Informer() = default;

  // Null where there is none, or before the first list is complete: ask health() which.
  virtual std::shared_ptr<const Json> Get(const ObjectKey& key) const = 0;
  virtual std::vector<std::shared_ptr<const Json>> List() const = 0;
  virtual InformerHealth health() const = 0;
  // Whether the first list was complete within the time.
  virtual bool WaitForSync(Duration timeout) const = 0;

  // Calls `changed` for each object that there is and then for each that comes, changes or goes,
  // after it can be read here; from the informer's thread or the caller's, one at a time. It must
  // be quick and must not call OnChange or end its token; it may be told of a change twice. The
  // token ends it: no call is under way after that. It may outlive the informer.
  class Handler {
   public:
    virtual ~Handler() = default;
  };
  virtual std::unique_ptr<Handler> OnChange(std::function<void(const ObjectKey&)> changed) = 0;
};

// All references outlive it. The client is cancelled before it is destroyed, or the destructor
// waits for a watch to end.
std::unique_ptr<Informer> StartInformer(InformerOptions options, ApiClient& client,
                                        const Clock& clock, IdGenerator& ids);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_INFORMER_H_
