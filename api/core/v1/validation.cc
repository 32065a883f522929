#include "api/core/v1/validation.h"

#include <array>

#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/limits.h"

namespace asyncops::core {
namespace {

struct NeededKey {
  std::string_view type;
  std::string_view key;
};

constexpr std::array<NeededKey, 5> kNeededKeys = {{
    {"kubernetes.io/tls", "tls.crt"},
    {"kubernetes.io/tls", "tls.key"},
    {"kubernetes.io/ssh-auth", "ssh-privatekey"},
    {"kubernetes.io/dockercfg", ".dockercfg"},
    {"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
}};

void CheckWellKnownType(const Secret& secret, FieldErrors* errors) {
  for (const auto& [type, key] : kNeededKeys) {
    if (secret.type == type && secret.data.find(std::string(key)) == secret.data.end())
      errors->push_back(RequiredField(FieldPath("data", key),
                                      "a Secret of type " + std::string(type) + " has it"));
  }
  if (secret.type == "kubernetes.io/basic-auth" && secret.data.count("username") == 0 &&
      secret.data.count("password") == 0)
    errors->push_back(RequiredField(
        "data[username]", "a Secret of type kubernetes.io/basic-auth has username or password"));
}

}  // namespace

FieldErrors ValidateNamespace(const Namespace& object) {
  FieldErrors errors;
  const std::string& name = object.metadata.name;
  // ValidateObjectMeta says what else may be wrong with it.
  if (!name.empty() && !CheckDnsSubdomain(name)) {
    if (auto rule = CheckDnsLabel(name))
      errors.push_back(InvalidField("metadata.name", name, *rule));
  }
  return errors;
}

FieldErrors ValidateNamespaceUpdate(const Namespace& object, const Namespace& old) {
  FieldErrors errors = ValidateNamespace(object);
  const bool terminating = object.metadata.deletion_timestamp.has_value();
  const std::string& phase = object.status.phase;
  const std::string_view due = terminating ? "Terminating" : "Active";
  if (phase == old.status.phase || phase == due) return errors;
  // Kubernetes spells the field so.
  errors.push_back(InvalidField("status.Phase", phase,
                                "may only be '" + std::string(due) +
                                    "' if `deletionTimestamp` is " +
                                    (terminating ? "not empty" : "empty")));
  return errors;
}

FieldErrors ValidateSecret(const Secret& secret) {
  FieldErrors errors;
  std::size_t total = 0;
  for (const auto& [key, value] : secret.data) {
    total += value.size();
    if (auto rule = CheckSecretKey(key))
      errors.push_back(InvalidField("data[" + key + "]", key, *rule));
  }
  if (total > kMaxObjectBytes)
    errors.push_back({FieldErrorType::kTooLong, "data", {}, "must have at most 1048576 bytes"});
  CheckWellKnownType(secret, &errors);
  return errors;
}

FieldErrors ValidateSecretUpdate(const Secret& secret, const Secret& old) {
  FieldErrors errors = ValidateSecret(secret);
  if (secret.type != old.type)
    errors.push_back(InvalidField("type", secret.type, "field is immutable"));
  if (old.immutable.value_or(false)) {
    if (!secret.immutable.value_or(false))
      errors.push_back(ForbiddenField("immutable", "field is immutable when `immutable` is set"));
    if (secret.data != old.data)
      errors.push_back(ForbiddenField("data", "field is immutable when `immutable` is set"));
  }
  return errors;
}

FieldErrors ValidateEvent(const Event& event) {
  FieldErrors errors;
  const std::string& involved = event.involved_object.namespace_name;
  const std::string& own = event.metadata.namespace_name;
  const bool fits = involved.empty() ? own == "default" || own == "kube-system" : involved == own;
  if (!fits)
    errors.push_back(
        InvalidField("involvedObject.namespace", involved, "does not match event.namespace"));
  return errors;
}

}  // namespace asyncops::core
