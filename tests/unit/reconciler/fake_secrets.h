// A ResourceClient that knows Secrets alone.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_FAKE_SECRETS_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_FAKE_SECRETS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// For one thread, but for reads while nothing changes.
class FakeSecrets final : public ResourceClient {
 public:
  std::map<ObjectName, SecretData> secrets;
  int reads = 0;

  void WriteFor(std::int64_t) override {}
  Result<SecretData> GetSecret(const ObjectName& name) override {
    ++reads;
    const auto found = secrets.find(name);
    if (found == secrets.end()) return NotFound("", "secrets", name.name);
    return found->second;
  }
  Result<SecretData> GetLastSecret(const ObjectName& name) override { return GetSecret(name); }
  Result<std::vector<ObjectMeta>> ListResourcesOf(const ObjectName&) override {
    return std::vector<ObjectMeta>();
  }
  Result<AsyncResource> GetResource(const ObjectName& name) override {
    return NotFound(kAsyncopsGroup, "asyncresources", name.name);
  }
  Result<SharedSystem> GetSystem(const ObjectName& name) override {
    return NotFound(kAsyncopsGroup, "externalsystems", name.name);
  }
  Status UpdateFinalizers(const ObjectName&, const std::string&,
                          std::function<void(std::vector<std::string>*)>) override {
    return Status::Ok();
  }
  Status UpdateSystemFinalizers(const ObjectName&, const std::string&,
                                std::function<void(std::vector<std::string>*)>) override {
    return Status::Ok();
  }
  Status UpdateResourceStatus(const ObjectName&, const std::string&,
                              std::function<void(AsyncResourceStatus*)>) override {
    return Status::Ok();
  }
  Status UpdateSystemStatus(const ObjectName&,
                            std::function<void(ExternalSystemStatus*)>) override {
    return Status::Ok();
  }
  Status ApplySecret(const ObjectName& name, const OwnerReference&,
                     const SecretData& values) override {
    for (const auto& [key, value] : values) secrets[name][key] = value;
    return Status::Ok();
  }
  std::unique_ptr<storage::Subscription> Watch(WatchedKind,
                                               std::function<void(const ObjectName&)>) override {
    return nullptr;
  }
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_FAKE_SECRETS_H_
