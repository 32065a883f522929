// The calls that a resource answers, before they are written in one version of OpenAPI.
#ifndef ASYNCOPS_API_OPENAPI_OPERATIONS_H_
#define ASYNCOPS_API_OPENAPI_OPERATIONS_H_

#include <string>
#include <vector>

#include "api/scheme.h"
#include "base/json.h"

namespace asyncops::openapi {

struct Parameter {
  std::string name;
  std::string in;    // "query" or "path"
  std::string type;  // "string", "integer" or "boolean"
  std::string description;
};

struct Response {
  std::string code;  // "200", or "default" for failures, which are JSON alone
  std::string description;
  std::string definition;  // "": no body is described
};

struct Operation {
  std::string method;  // "get"
  std::string action;  // x-kubernetes-action: "list"
  std::string id;
  std::string kind;  // of x-kubernetes-group-version-kind
  std::string description;
  std::vector<Parameter> parameters;
  std::string body;  // definition; "": none
  bool body_required = true;
  std::vector<std::string> consumes;
  std::vector<std::string> produces;
  std::vector<Response> responses;
};

struct PathItem {
  std::string path;
  std::vector<Parameter> parameters;  // of all its operations
  std::vector<Operation> operations;
};

// The paths of a resource: the collection in one namespace and in all, the object, its
// subresources.
std::vector<PathItem> ResourcePaths(const ResourceInfo& resource);

// "apis/asyncops.dev/v1alpha1" or "api/v1".
std::string GroupVersionPath(const ResourceInfo& resource);
// "asyncopsDev_v1alpha1".
std::string OperationTag(const ResourceInfo& resource);
// {"group", "version", "kind"} of a kind in the resource's group and version.
Json GroupVersionKind(const ResourceInfo& resource, const std::string& kind);

}  // namespace asyncops::openapi

#endif  // ASYNCOPS_API_OPENAPI_OPERATIONS_H_
