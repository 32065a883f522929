#include "api/openapi/definitions.h"

#include <utility>

#include "api/openapi/meta_schemas.h"
#include "api/openapi/operations.h"
#include "api/subresources.h"

namespace asyncops::openapi {
namespace {

void Mark(std::string_view name, Json group_version_kind, JsonObject* definitions) {
  (*definitions)[name].Set("x-kubernetes-group-version-kind",
                           JsonArray{std::move(group_version_kind)});
}

}  // namespace

JsonObject MakeDefinitions(const std::vector<ResourceInfo>& resources, Dialect dialect) {
  std::map<std::string, SchemaRef> schemas;
  for (const ResourceInfo& resource : resources) {
    if (!HasOnlySubresources(resource)) CollectDefinitions(ListSchema(resource), &schemas);
    for (const SubresourceInfo& subresource : SubresourcesOf(resource))
      CollectDefinitions(subresource.schema, &schemas);
  }
  CollectDefinitions(StatusSchema(), &schemas);
  CollectDefinitions(DeleteOptionsSchema(), &schemas);
  CollectDefinitions(PatchSchema(), &schemas);

  JsonObject out;
  for (const auto& [name, schema] : schemas) out.Set(name, DefinitionJson(*schema, dialect));
  for (const ResourceInfo& resource : resources) {
    for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
      if (subresource.schema != nullptr)
        Mark(subresource.schema->name, GroupVersionKind(resource, subresource.kind), &out);
    }
    if (HasOnlySubresources(resource)) continue;
    Mark(resource.schema->name, GroupVersionKind(resource, resource.kind), &out);
    Mark(ListName(resource), GroupVersionKind(resource, resource.kind + "List"), &out);
  }
  for (const std::string_view kind : {"Status", "DeleteOptions"}) {
    Mark(kind == "Status" ? kStatusName : kDeleteOptionsName,
         Json::Of({{"group", ""}, {"kind", kind}, {"version", "v1"}}), &out);
  }
  return out;
}

}  // namespace asyncops::openapi
