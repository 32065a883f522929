#include <utility>

#include "api/openapi/definitions.h"
#include "api/openapi/openapi.h"
#include "api/openapi/operations.h"

namespace asyncops {
namespace openapi {
namespace {

Json Strings(const std::vector<std::string>& values) {
  JsonArray out;
  for (const std::string& value : values) out.push_back(value);
  return out;
}

Json ParameterJson(const Parameter& parameter) {
  Json out = Json::Of({{"description", parameter.description},
                       {"in", parameter.in},
                       {"name", parameter.name},
                       {"type", parameter.type},
                       {"uniqueItems", true}});
  if (parameter.in == "path") out.Set("required", true);
  return out;
}

JsonArray ParametersJson(const std::vector<Parameter>& parameters) {
  JsonArray out;
  for (const Parameter& parameter : parameters) out.push_back(ParameterJson(parameter));
  return out;
}

Json OperationJson(const ResourceInfo& resource, const Operation& operation) {
  JsonArray parameters = ParametersJson(operation.parameters);
  if (!operation.body.empty()) {
    Json body = Json::Of({{"in", "body"},
                          {"name", "body"},
                          {"schema", ReferenceJson(operation.body, Dialect::kV2)}});
    if (operation.body_required) body.Set("required", true);
    parameters.push_back(std::move(body));
  }
  JsonObject responses;
  for (const Response& response : operation.responses) {
    Json out = Json::Of({{"description", response.description}});
    if (!response.definition.empty())
      out.Set("schema", ReferenceJson(response.definition, Dialect::kV2));
    responses.Set(response.code, std::move(out));
  }
  Json out =
      Json::Of({{"description", operation.description},
                {"operationId", operation.id},
                {"produces", Strings(operation.produces)},
                {"responses", std::move(responses)},
                {"schemes", JsonArray{"https"}},
                {"tags", JsonArray{OperationTag(resource)}},
                {"x-kubernetes-action", operation.action},
                {"x-kubernetes-group-version-kind", GroupVersionKind(resource, operation.kind)}});
  if (!operation.consumes.empty()) out.Set("consumes", Strings(operation.consumes));
  if (!parameters.empty()) out.Set("parameters", std::move(parameters));
  return out;
}

}  // namespace
}  // namespace openapi

Json MakeOpenApiV2(const std::vector<ResourceInfo>& resources) {
  JsonObject paths;
  for (const ResourceInfo& resource : resources) {
    for (const openapi::PathItem& item : openapi::ResourcePaths(resource)) {
      Json out = Json::Of({{"parameters", openapi::ParametersJson(item.parameters)}});
      for (const openapi::Operation& operation : item.operations)
        out.Set(operation.method, openapi::OperationJson(resource, operation));
      paths.Set(item.path, std::move(out));
    }
  }
  return Json::Of({{"swagger", "2.0"},
                   {"info", Json::Of({{"title", "asyncops"}, {"version", "v1alpha1"}})},
                   {"paths", std::move(paths)},
                   {"definitions", openapi::MakeDefinitions(resources, openapi::Dialect::kV2)}});
}

}  // namespace asyncops
