#include "tests/unit/kinds/objects.h"

#include <gtest/gtest.h>

#include "api/meta/patch.h"
#include "api/schema/walk.h"
#include "base/yaml.h"

namespace asyncops {

Json ParseObject(std::string_view yaml) {
  const auto documents = ParseYaml(yaml);
  EXPECT_TRUE(documents.ok()) << documents.status().ToString() << "\n" << yaml;
  if (!documents.ok() || documents->size() != 1) return Json();
  return documents->front();
}

Json Patched(const Json& object, std::string_view yaml_patch) {
  if (yaml_patch.empty()) return object;
  const auto patched = ApplyMergePatch(object, ParseObject(yaml_patch));
  EXPECT_TRUE(patched.ok()) << patched.status().ToString();
  return patched.ok() ? *patched : Json();
}

Json ValidResource() {
  return ParseObject(R"(
apiVersion: asyncops.dev/v1alpha1
kind: AsyncResource
metadata: {name: data-volume, namespace: team-a}
spec:
  externalSystemRef: {name: acme-cloud}
  parameters: {size: 10Gi}
  create:
    submit: {path: /volumes, body: {size: "${spec.parameters.size}"}}
  delete:
    submit: {path: "/volumes/${outputs.volumeID}"}
  outputs: [{name: volumeID, value: /id}]
)");
}

Json ValidSystem() {
  return ParseObject(R"(
apiVersion: asyncops.dev/v1alpha1
kind: ExternalSystem
metadata: {name: acme-cloud, namespace: team-a}
spec:
  endpoint: https://api.acme.example/v1
  preset: AcceptedLocation
  auth: {bearerTokenSecretRef: {name: acme, key: token}}
  idempotency: {in: Header, name: Idempotency-Key}
)");
}

Json ValidOperation() {
  return ParseObject(R"(
apiVersion: operations.asyncops.dev/v1alpha1
kind: AsyncOperation
metadata: {name: make-it, namespace: team-a}
spec:
  type: Create
  externalSystemRef: {name: acme-cloud}
  submit: {path: /volumes}
)");
}

const ResourceInfo& ResourceOf(const Json& object) {
  for (const ResourceInfo& resource : AllResources()) {
    if (resource.kind == object.StringAt({"kind"})) return resource;
  }
  ADD_FAILURE() << "no kind of ours: " << EncodeJson(object);
  return AllResources().front();
}

ValidationResult Create(Json object) {
  const ResourceInfo& resource = ResourceOf(object);
  ApplyDefaults(*resource.schema, &object);
  return ValidateNewObject(resource, object);
}

ValidationResult Update(Json object, Json old) {
  const ResourceInfo& resource = ResourceOf(object);
  ApplyDefaults(*resource.schema, &object);
  ApplyDefaults(*resource.schema, &old);
  return ValidateChangedObject(resource, object, old);
}

std::vector<std::string> Texts(const ValidationResult& result) {
  std::vector<std::string> texts;
  for (const FieldError& error : result.errors) texts.push_back(error.ToString());
  return texts;
}

}  // namespace asyncops
