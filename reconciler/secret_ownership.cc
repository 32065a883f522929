#include "reconciler/secret_ownership.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/core/v1/validation.h"
#include "base/encoding.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kOpaque = "Opaque";

bool IsOwner(const core::Secret& secret, const OwnerReference& owner) {
  const std::vector<OwnerReference>& owners = secret.metadata.owner_references;
  return std::any_of(owners.begin(), owners.end(),
                     [&owner](const OwnerReference& one) { return one.uid == owner.uid; });
}

}  // namespace

std::string SecretTitle(const ObjectName& name) {
  return "secret \"" + name.namespace_name + "/" + name.name + "\"";
}

Status MayWriteSecret(const core::Secret& secret, const ObjectName& name,
                      const OwnerReference& owner) {
  if (!IsOwner(secret, owner)) {
    return {Reason::kForbidden, SecretTitle(name) + " exists and does not belong to " + owner.kind +
                                    " \"" + owner.name +
                                    "\": delete it, or give toSecret another name"};
  }
  if (secret.metadata.deletion_timestamp)
    return {Reason::kForbidden, SecretTitle(name) + " is being deleted"};
  return Status::Ok();
}

core::Secret NewOwnedSecret(const ObjectName& name, const OwnerReference& owner) {
  core::Secret secret;
  secret.metadata.name = name.name;
  secret.metadata.namespace_name = name.namespace_name;
  secret.metadata.owner_references.push_back(owner);
  secret.type = kOpaque;
  return secret;
}

Status SetSecretValues(const ObjectName& name, const SecretData& values, core::Secret* secret) {
  const std::map<std::string, std::string> before = secret->data;
  for (const auto& [key, value] : values) secret->data[key] = Base64Encode(value);
  if (secret->data == before) return Status::Ok();
  if (secret->immutable.value_or(false))
    return {Reason::kForbidden, SecretTitle(name) + " is immutable and holds another value"};
  if (const FieldErrors errors = core::ValidateSecret(*secret); !errors.empty()) {
    return {Reason::kInvalid,
            SecretTitle(name) + " cannot hold the value: " + errors.front().detail};
  }
  return Status::Ok();
}

}  // namespace asyncops::reconciler
