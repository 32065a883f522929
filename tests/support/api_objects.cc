#include "tests/support/api_objects.h"

#include <cstdlib>

#include "api/meta/patch.h"

namespace asyncops::apiserver {
namespace {

Json Parsed(std::string_view text) {
  Result<Json> json = ParseJson(text);
  if (!json.ok()) std::abort();
  return std::move(*json);
}

Json Named(std::string_view text, std::string_view name) {
  Json object = Parsed(text);
  object.ObjectAt("metadata").Set("name", name);
  return object;
}

std::vector<Json> Many(int count, std::string_view prefix, Json (*make)(std::string_view name)) {
  std::vector<Json> objects;
  for (int i = 0; i < count; ++i) {
    objects.push_back(make(std::string(prefix) + std::to_string(1000 + i)));
    objects.back().ObjectAt("metadata").Set("namespace", "team-a");
  }
  return objects;
}

}  // namespace

std::string At(std::string_view base, std::string_view name) {
  return std::string(base) + "/" + std::string(name);
}

Json NamespaceObject(std::string_view name) {
  return Named(R"({"apiVersion":"v1","kind":"Namespace"})", name);
}

Json SystemObject(std::string_view name) {
  return Named(R"({"apiVersion":"asyncops.dev/v1alpha1","kind":"ExternalSystem",
                   "spec":{"endpoint":"https://api.acme.example/v1","preset":"AcceptedLocation"}})",
               name);
}

Json ResourceObject(std::string_view name) {
  return Named(R"({"apiVersion":"asyncops.dev/v1alpha1","kind":"AsyncResource",
                   "spec":{"externalSystemRef":{"name":"acme-cloud"},
                           "parameters":{"size":"10Gi"},
                           "create":{"submit":{"path":"/volumes"}},
                           "delete":{"submit":{"path":"/volumes/1"}}}})",
               name);
}

Json OperationObject(std::string_view name) {
  return Named(R"({"apiVersion":"operations.asyncops.dev/v1alpha1","kind":"AsyncOperation",
                   "spec":{"type":"Create","externalSystemRef":{"name":"acme-cloud"},
                           "submit":{"path":"/volumes"}}})",
               name);
}

Json SecretObject(std::string_view name) {
  return Named(R"({"apiVersion":"v1","kind":"Secret","data":{"password":"aHVudGVyMg=="}})", name);
}

std::vector<Json> ManyOperations(int count) { return Many(count, "op-", OperationObject); }

std::vector<Json> ManySecrets(int count) { return Many(count, "s-", SecretObject); }

std::string With(const Json& object, std::string_view merge_patch) {
  const Result<Json> patched = ApplyMergePatch(object, Parsed(merge_patch));
  if (!patched.ok()) std::abort();
  return EncodeJson(*patched);
}

}  // namespace asyncops::apiserver
