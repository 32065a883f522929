// How the reconciler reads and writes what users declare: the local store in standalone,
// kube-apiserver in a cluster. AsyncOperations are always ours and go straight to the store.
#ifndef ASYNCOPS_RECONCILER_RESOURCE_CLIENT_H_
#define ASYNCOPS_RECONCILER_RESOURCE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/asyncops/v1alpha1/external_system.h"
#include "api/meta/object_meta.h"
#include "base/status.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// Decoded values by key. Never logged, never stored.
using SecretData = std::map<std::string, std::string>;

// As whom the engine writes Secrets.
inline constexpr std::string_view kSecretFieldManager = "asyncops-reconciler";

struct ObjectName {
  std::string namespace_name;
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

// Immutable.
using SharedSystem = std::shared_ptr<const ExternalSystem>;

enum class WatchedKind { kAsyncResource, kExternalSystem, kSecret };

// Safe for use from several threads. Reads may be a moment old; writes are checked against the
// newest state.
class ResourceClient {
 public:
  virtual ~ResourceClient() = default;
  // Says for which owner of the operations it writes from now on: once a later one has come, its
  // writes are ServiceUnavailable. Before that, or with 0, nobody's writes are held back so.
  virtual void WriteFor(std::int64_t epoch) = 0;
  // NotFound where there is none.
  virtual Result<AsyncResource> GetResource(const ObjectName& name) = 0;
  // Never null.
  virtual Result<SharedSystem> GetSystem(const ObjectName& name) = 0;
  virtual Result<SecretData> GetSecret(const ObjectName& name) = 0;
  // The same; of a Secret that is gone, or that may not be read any more, what this process read or
  // wrote last. For systems under deletion, whose Secrets often go before what needs them, and to
  // know what is not to be shown.
  virtual Result<SecretData> GetLastSecret(const ObjectName& name) = 0;
  // The metadata of all AsyncResources that refer to this system, by name.
  virtual Result<std::vector<ObjectMeta>> ListResourcesOf(const ObjectName& system) = 0;
  // Reads the newest object with this uid, lets `change` edit its finalizers, writes them where
  // they differ. NotFound where it is gone or another of the same name; Conflict, and nothing is
  // written, where it is under deletion and would get one more.
  virtual Status UpdateFinalizers(const ObjectName& name, const std::string& uid,
                                  std::function<void(std::vector<std::string>*)> change) = 0;
  virtual Status UpdateSystemFinalizers(const ObjectName& name, const std::string& uid,
                                        std::function<void(std::vector<std::string>*)> change) = 0;
  // The same for the status; conflicts are retried at once on the newest version. A status that
  // stays equal is not written.
  virtual Status UpdateResourceStatus(const ObjectName& name, const std::string& uid,
                                      std::function<void(AsyncResourceStatus*)> change) = 0;
  virtual Status UpdateSystemStatus(const ObjectName& name,
                                    std::function<void(ExternalSystemStatus*)> change) = 0;
  // Sets these keys of the Secret, which is made with `owner` where there is none; other keys stay.
  // Forbidden, and nothing is written, where it is there and not the owner's (no ownerReference has
  // its uid), is being deleted, or is immutable with other values; Invalid where it cannot hold
  // them. Without values nothing is written: whether it could be. Messages never show a value.
  virtual Status ApplySecret(const ObjectName& name, const OwnerReference& owner,
                             const SecretData& values) = 0;
  // Calls `changed` for each object that exists and then for each that changes or goes, from a
  // thread of its own or the caller's; it must be quick. Several changes of one object may come as
  // one.
  virtual std::unique_ptr<storage::Subscription> Watch(
      WatchedKind kind, std::function<void(const ObjectName&)> changed) = 0;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RESOURCE_CLIENT_H_
