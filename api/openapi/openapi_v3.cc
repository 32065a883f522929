#include <utility>

#include "api/openapi/definitions.h"
#include "api/openapi/openapi.h"
#include "api/openapi/operations.h"

namespace asyncops {
namespace openapi {
namespace {

Json ParameterJson(const Parameter& parameter) {
  Json out = Json::Of({{"description", parameter.description},
                       {"in", parameter.in},
                       {"name", parameter.name},
                       {"schema", Json::Of({{"type", parameter.type}, {"uniqueItems", true}})}});
  if (parameter.in == "path") out.Set("required", true);
  return out;
}

JsonArray ParametersJson(const std::vector<Parameter>& parameters) {
  JsonArray out;
  for (const Parameter& parameter : parameters) out.push_back(ParameterJson(parameter));
  return out;
}

// {"application/json": {"schema": {"$ref": ...}}, ...}
Json ContentJson(const std::vector<std::string>& types, const std::string& definition) {
  JsonObject out;
  for (const std::string& type : types)
    out.Set(type, Json::Of({{"schema", ReferenceJson(definition, Dialect::kV3)}}));
  return out;
}

Json OperationJson(const ResourceInfo& resource, const Operation& operation) {
  JsonObject responses;
  for (const Response& response : operation.responses) {
    Json out = Json::Of({{"description", response.description}});
    const bool fails = response.code == "default";
    if (!response.definition.empty()) {
      out.Set("content",
              ContentJson(fails ? std::vector<std::string>{"application/json"} : operation.produces,
                          response.definition));
    }
    responses.Set(response.code, std::move(out));
  }
  Json out =
      Json::Of({{"description", operation.description},
                {"operationId", operation.id},
                {"responses", std::move(responses)},
                {"tags", JsonArray{OperationTag(resource)}},
                {"x-kubernetes-action", operation.action},
                {"x-kubernetes-group-version-kind", GroupVersionKind(resource, operation.kind)}});
  if (!operation.parameters.empty()) out.Set("parameters", ParametersJson(operation.parameters));
  if (!operation.body.empty()) {
    Json body = Json::Of({{"content", ContentJson(operation.consumes, operation.body)}});
    if (operation.body_required) body.Set("required", true);
    out.Set("requestBody", std::move(body));
  }
  return out;
}

}  // namespace
}  // namespace openapi

Json MakeOpenApiV3(const std::vector<ResourceInfo>& resources, std::string_view group_version) {
  std::vector<ResourceInfo> chosen;
  JsonObject paths;
  for (const ResourceInfo& resource : resources) {
    if (resource.GroupVersion() != group_version) continue;
    chosen.push_back(resource);
    for (const openapi::PathItem& item : openapi::ResourcePaths(resource)) {
      Json out = Json::Of({{"parameters", openapi::ParametersJson(item.parameters)}});
      for (const openapi::Operation& operation : item.operations)
        out.Set(operation.method, openapi::OperationJson(resource, operation));
      paths.Set(item.path, std::move(out));
    }
  }
  return Json::Of(
      {{"openapi", "3.0.0"},
       {"info", Json::Of({{"title", "asyncops"}, {"version", "v1alpha1"}})},
       {"paths", std::move(paths)},
       {"components",
        Json::Of({{"schemas", openapi::MakeDefinitions(chosen, openapi::Dialect::kV3)}})}});
}

}  // namespace asyncops
