#include "reconciler/cluster_secret_writer.h"

#include <string>
#include <utility>
#include <vector>

#include "api/core/v1/secret.h"
#include "api/schema/binding.h"
#include "base/json.h"
#include "reconciler/owner_epoch.h"
#include "reconciler/redact.h"
#include "reconciler/secret_ownership.h"

namespace asyncops::reconciler {
namespace {

// Each round means that somebody else wrote it meanwhile.
constexpr int kMaxRounds = 10;

// What kube-apiserver refused, for people: an admission webhook may have written the message.
Status Refused(const ObjectName& name, const SecretData& values, std::string_view verb,
               const Status& status) {
  std::vector<std::string> hidden;
  for (const auto& [key, value] : values) hidden.push_back(value);
  std::string message = SecretTitle(name) + " cannot be written";
  if (status.reason() == Reason::kForbidden)
    message += " (it needs the verb \"" + std::string(verb) + "\" on secrets)";
  message += ": " + Redactor(hidden).RedactText(status.message());
  return {status.reason(), std::move(message)};
}

// The patch that sets what differs of the data.
Json DataPatch(const core::Secret& before, const core::Secret& after) {
  JsonObject data;
  for (const auto& [key, value] : after.data) {
    const auto old = before.data.find(key);
    if (old == before.data.end() || old->second != value) data.Set(key, value);
  }
  const std::string& version = before.metadata.resource_version;
  return Json::Of({{"metadata", Json::Of({{"resourceVersion", version}})}, {"data", data}});
}

// One attempt. Conflict, AlreadyExists or NotFound where somebody was faster.
Status TryApply(const ClusterSecretWriterParts& parts, const ObjectName& name,
                const OwnerReference& owner, const SecretData& values) {
  const std::string path = ClusterPath("", "secrets", name.namespace_name, name.name);
  const Result<Json> present = parts.calls.Get(path);
  const bool missing = IsObjectMissing(present.status(), name.name);
  core::Secret before;
  if (present.ok()) {
    const Status read = core::Secret::Binding().Decode(*present, &before);
    if (!read.ok()) return read.WithContext(SecretTitle(name) + " cannot be understood");
    ASYNCOPS_RETURN_IF_ERROR(MayWriteSecret(before, name, owner));
  } else if (missing) {
    before = NewOwnedSecret(name, owner);
  } else if (present.status().reason() == Reason::kNotFound) {
    return {Reason::kServiceUnavailable, SecretTitle(name) + ": " + present.status().message()};
  } else {
    return Refused(name, values, "get", present.status());
  }
  if (values.empty()) return Status::Ok();
  core::Secret after = before;
  ASYNCOPS_RETURN_IF_ERROR(SetSecretValues(name, values, &after));
  if (present.ok() && after.data == before.data) return Status::Ok();
  ASYNCOPS_RETURN_IF_ERROR(CheckOwnership(parts.store, parts.epoch));
  const Result<Json> written =
      missing ? parts.calls.Create(ClusterPath("", "secrets", name.namespace_name, ""),
                                   core::Secret::Binding().Encode(after))
              : parts.calls.Patch(path, DataPatch(before, after));
  if (!written.ok()) return Refused(name, values, missing ? "create" : "patch", written.status());
  parts.secrets.Note(name, *written);
  return Status::Ok();
}

}  // namespace

Status ApplyClusterSecret(const ClusterSecretWriterParts& parts, const ObjectName& name,
                          const OwnerReference& owner, const SecretData& values) {
  if (!IsObjectName(name.name))
    return {Reason::kInvalid, "\"" + name.name + "\" can be no Secret's name"};
  Status applied;
  for (int round = 0; round < kMaxRounds; ++round) {
    applied = TryApply(parts, name, owner, values);
    const Reason reason = applied.reason();
    // A Secret that went after it was read is NotFound; one in a namespace that went is, too.
    if (reason != Reason::kConflict && reason != Reason::kAlreadyExists &&
        reason != Reason::kNotFound)
      return applied;
  }
  return {Reason::kServiceUnavailable, applied.message()};
}

}  // namespace asyncops::reconciler
