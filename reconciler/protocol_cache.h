// What ExternalSystems and declarations compile to, kept while some operation uses it.
#ifndef ASYNCOPS_RECONCILER_PROTOCOL_CACHE_H_
#define ASYNCOPS_RECONCILER_PROTOCOL_CACHE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "api/operations/v1alpha1/async_operation.h"
#include "base/mutex.h"
#include "base/status.h"
#include "reconciler/resource_client.h"
#include "reconciler/shared_protocol.h"

namespace asyncops::reconciler {

// A declaration on one version of its ExternalSystem. Immutable, shared.
struct Declared {
  SharedSystem system;
  std::string system_version;  // VersionOf
  std::shared_ptr<const SharedProtocol> protocol;
};

// Safe for use from several threads.
class ProtocolCache {
 public:
  // Compiled for the first of the operations with this declaration. Fails as CompileShared.
  Result<std::shared_ptr<const Declared>> Get(const SharedSystem& system,
                                              const AsyncOperation& operation)
      ASYNCOPS_EXCLUDES(mutex_);

 private:
  void DropUnused() ASYNCOPS_REQUIRES(mutex_);

  Mutex mutex_;
  // By the system's version and the declaration's text.
  std::map<std::string, std::weak_ptr<const Declared>> known_ ASYNCOPS_GUARDED_BY(mutex_);
  std::size_t sweep_at_ ASYNCOPS_GUARDED_BY(mutex_) = 64;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_PROTOCOL_CACHE_H_
