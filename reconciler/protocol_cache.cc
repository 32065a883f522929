#include "reconciler/protocol_cache.h"

#include <algorithm>
#include <utility>

#include "api/schema/binding.h"
#include "reconciler/system_use.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kLeastKept = 64;

// What compiling reads of an operation. What is one operation's own is not in it.
std::string KeyOf(const std::string& system_version, const AsyncOperation& operation) {
  AsyncOperationSpec declaration = operation.spec;
  declaration.parameters = Json();
  declaration.context.reset();
  declaration.resource_ref.reset();
  declaration.ttl_after_finished.reset();
  declaration.suspend = false;
  return system_version + "\n" + EncodeJson(AsyncOperationSpec::Binding().Encode(declaration));
}

}  // namespace

Result<std::shared_ptr<const Declared>> ProtocolCache::Get(const SharedSystem& system,
                                                           const AsyncOperation& operation) {
  std::string version = VersionOf(*system);
  std::string key = KeyOf(version, operation);
  {
    const MutexLock lock(mutex_);
    const auto it = known_.find(key);
    if (it != known_.end()) {
      if (std::shared_ptr<const Declared> declared = it->second.lock()) return declared;
    }
  }
  Result<std::shared_ptr<const SharedProtocol>> protocol = CompileShared(*system, operation);
  if (!protocol.ok()) return protocol.status();
  auto declared = std::make_shared<const Declared>(Declared{
      .system = system, .system_version = std::move(version), .protocol = *std::move(protocol)});
  const MutexLock lock(mutex_);
  if (known_.size() >= sweep_at_) DropUnused();
  // Where two came at once the later one stays.
  known_.insert_or_assign(std::move(key), declared);
  return std::shared_ptr<const Declared>(std::move(declared));
}

void ProtocolCache::DropUnused() {
  std::erase_if(known_, [](const auto& item) { return item.second.expired(); });
  sweep_at_ = std::max(kLeastKept, 2 * known_.size());
}

}  // namespace asyncops::reconciler
