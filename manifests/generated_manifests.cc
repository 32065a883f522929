#include "manifests/generated_manifests.h"

#include "api/crd_revision.h"
#include "api/openapi/openapi.h"
#include "api/scheme.h"
#include "base/yaml.h"

namespace asyncops {
namespace {

constexpr std::string_view kHeader =
    "# Generated from the schemas in api/ by generate_manifests; edit those, and run it again.\n";

Json Definition(const ResourceInfo& resource) {
  Json definition = MakeCustomResourceDefinition(resource);
  definition.ObjectAt("metadata")
      .Set("annotations",
           Json::Of({{std::string(kCrdRevisionAnnotation), std::to_string(kCrdRevision)}}));
  return definition;
}

}  // namespace

std::vector<Manifest> GeneratedManifests() {
  std::vector<Manifest> manifests;
  for (const ResourceInfo& resource : AllResources()) {
    if (resource.group.empty() || !resource.standalone_only) continue;
    manifests.push_back(
        {.path = "manifests/crds/" + resource.group + "_" + resource.plural + ".yaml",
         .text = std::string(kHeader) + EncodeYaml(Definition(resource))});
  }
  return manifests;
}

}  // namespace asyncops
