#include "reconciler/system_use.h"

#include <utility>

namespace asyncops::reconciler {
namespace {

void Add(const std::optional<SecretKeyRef>& ref, std::set<std::string>* names) {
  if (ref) names->insert(ref->name);
}

}  // namespace

std::string VersionOf(const ExternalSystem& system) {
  // A deletion changes which credentials are to be had.
  const std::string_view leaving = system.metadata.deletion_timestamp ? "/leaving" : "";
  return system.metadata.uid + "/" + std::to_string(system.metadata.generation) +
         std::string(leaving);
}

std::set<std::string> SecretsOf(const ExternalSystemSpec& spec) {
  std::set<std::string> names;
  if (spec.tls && spec.tls->client_certificate_secret_ref)
    names.insert(spec.tls->client_certificate_secret_ref->name);
  if (!spec.auth) return names;
  const AuthSpec& auth = *spec.auth;
  Add(auth.bearer_token_secret_ref, &names);
  if (auth.basic) {
    Add(auth.basic->username_secret_ref, &names);
    Add(auth.basic->password_secret_ref, &names);
  }
  for (const HeaderAuth& header : auth.headers) Add(header.secret_ref, &names);
  if (auth.oauth2_client_credentials) {
    Add(auth.oauth2_client_credentials->client_id_secret_ref, &names);
    Add(auth.oauth2_client_credentials->client_secret_ref, &names);
  }
  if (auth.aws_sig_v4) {
    Add(auth.aws_sig_v4->access_key_id_secret_ref, &names);
    Add(auth.aws_sig_v4->secret_access_key_secret_ref, &names);
    Add(auth.aws_sig_v4->session_token_secret_ref, &names);
  }
  return names;
}

void SystemUse::Expect(const ObjectName& name) {
  const MutexLock lock(mutex_);
  versions_.try_emplace(name);
}

void SystemUse::Note(const ObjectName& name, const std::string& version) {
  const MutexLock lock(mutex_);
  versions_[name] = version;
}

bool SystemUse::IsUsed(const ObjectName& name) const {
  const MutexLock lock(mutex_);
  return versions_.contains(name);
}

bool SystemUse::TakeChange(const ObjectName& name, const std::string& version) {
  const MutexLock lock(mutex_);
  const auto it = versions_.find(name);
  if (it == versions_.end() || it->second == version) return false;
  it->second = version;
  return true;
}

void SystemUse::NoteSecrets(const ObjectName& name, std::set<std::string> secrets) {
  const MutexLock lock(mutex_);
  if (secrets.empty()) {
    secrets_.erase(name);
  } else {
    secrets_[name] = std::move(secrets);
  }
}

std::vector<ObjectName> SystemUse::SystemsWith(const ObjectName& secret) const {
  const MutexLock lock(mutex_);
  std::vector<ObjectName> systems;
  for (auto it = secrets_.lower_bound({.namespace_name = secret.namespace_name, .name = ""});
       it != secrets_.end() && it->first.namespace_name == secret.namespace_name; ++it) {
    if (it->second.contains(secret.name)) systems.push_back(it->first);
  }
  return systems;
}

}  // namespace asyncops::reconciler
