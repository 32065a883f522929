#include "manifests/generated_manifests.h"

#include "api/openapi/openapi.h"
#include "api/scheme.h"
#include "base/yaml.h"

namespace asyncops {
namespace {

constexpr std::string_view kHeader =
    "# Generated from the schemas in api/ by generate_manifests; edit those, and run it again.\n";

}  // namespace

std::vector<Manifest> GeneratedManifests() {
  std::vector<Manifest> manifests;
  for (const ResourceInfo& resource : AllResources()) {
    if (resource.group.empty() || !resource.standalone_only) continue;
    manifests.push_back(
        {.path = "manifests/crds/" + resource.group + "_" + resource.plural + ".yaml",
         .text = std::string(kHeader) + EncodeYaml(MakeCustomResourceDefinition(resource))});
  }
  return manifests;
}

}  // namespace asyncops
