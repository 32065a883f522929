#include "kube/crd_check.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace asyncops::kube {
namespace {

constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";

bool IsEstablished(const Json& definition) {
  const Json* conditions = definition.FindPath({"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return false;
  const JsonArray& all = conditions->as_array();
  return std::any_of(all.begin(), all.end(), [](const Json& condition) {
    return condition.StringAt({"type"}) == "Established" &&
           condition.StringAt({"status"}) == "True";
  });
}

CrdReport CheckCrd(ApiClient& client, const std::string& name, const WantedCrds& wanted) {
  const std::string what = "CustomResourceDefinition " + name;
  const std::string apply = "; apply the manifests/crds of this version of asyncops";
  const Result<Json> definition = client.Call({.target = std::string(kDefinitions) + name});
  if (definition.status().reason() == Reason::kNotFound)
    return {CrdState::kMissing, what + " is missing" + apply};
  if (!definition.ok())
    return {CrdState::kUnknown, definition.status().WithContext("read " + what).message()};
  if (!IsEstablished(*definition))
    return {CrdState::kMissing, what + " is not established: kube-apiserver does not serve it"};
  const std::optional<std::int64_t> revision =
      ParseInt64(definition->StringAt({"metadata", "annotations", wanted.annotation}));
  const std::string known = "this version of asyncops knows " + std::to_string(wanted.revision);
  if (!revision) return {CrdState::kOlder, what + " has no revision, and " + known + apply};
  const std::string has = what + " has revision " + std::to_string(*revision) + ", and " + known;
  if (*revision < wanted.revision) return {CrdState::kOlder, has + apply};
  if (*revision > wanted.revision) {
    return {CrdState::kNewer,
            has + "; run the version of asyncops that the CRDs are of, or apply those of this one"};
  }
  return {CrdState::kEqual, ""};
}

}  // namespace

CrdReport CheckCrds(ApiClient& client, const WantedCrds& wanted) {
  CrdReport worst{CrdState::kEqual, ""};
  for (const std::string& name : wanted.names) {
    CrdReport report = CheckCrd(client, name, wanted);
    if (report.state < worst.state) worst = std::move(report);
  }
  return worst;
}

}  // namespace asyncops::kube
