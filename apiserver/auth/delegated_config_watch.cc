#include "apiserver/auth/delegated_config_watch.h"

#include <utility>

#include "apiserver/auth/delegated_config.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kPath = "/api/v1/namespaces/kube-system/configmaps";
constexpr std::string_view kConfigMap = "extension-apiserver-authentication";

kube::InformerOptions WatchOptions() {
  return {.path = std::string(kPath), .field_selector = "metadata.name=" + std::string(kConfigMap)};
}

}  // namespace

DelegatedConfigWatch::DelegatedConfigWatch(DelegatedAuthenticator& authenticator,
                                           kube::ApiClient& client, const Clock& clock,
                                           IdGenerator& ids)
    : authenticator_(authenticator),
      informer_(kube::StartInformer(WatchOptions(), client, clock, ids)),
      handler_(informer_->OnChange([this](const kube::ObjectKey& key) { Read(key); })) {}

void DelegatedConfigWatch::Read(const kube::ObjectKey& key) {
  if (key.name != kConfigMap) return;
  const std::shared_ptr<const Json> config_map = informer_->Get(key);
  Status status = Status(Reason::kServiceUnavailable, "the ConfigMap is gone; its last is in use");
  if (config_map != nullptr) {
    const Result<DelegatedAuthenticationConfig> config = ReadDelegatedConfig(*config_map);
    status = config.ok() ? authenticator_.Set(*config) : config.status();
  }
  status = status.WithContext("ConfigMap kube-system/" + key.name);
  if (status.ok()) {
    Log(LogLevel::kInfo, "authentication follows the cluster", {{"configMap", key.name}});
  } else {
    Log(LogLevel::kError, "authentication keeps its last good configuration",
        {{"error", status.message()}});
  }
  const MutexLock lock(mutex_);
  status_ = std::move(status);
}

Status DelegatedConfigWatch::health() const {
  const MutexLock lock(mutex_);
  return status_;
}

}  // namespace asyncops::apiserver
