// The definitions that a document of some resources needs.
#ifndef ASYNCOPS_API_OPENAPI_DEFINITIONS_H_
#define ASYNCOPS_API_OPENAPI_DEFINITIONS_H_

#include <vector>

#include "api/openapi/schema_json.h"
#include "api/scheme.h"
#include "base/json.h"

namespace asyncops::openapi {

// By name: the kinds and their lists, marked with x-kubernetes-group-version-kind, all that they
// are made of, and the bodies of the other calls (Status, DeleteOptions, Patch).
JsonObject MakeDefinitions(const std::vector<ResourceInfo>& resources, Dialect dialect);

}  // namespace asyncops::openapi

#endif  // ASYNCOPS_API_OPENAPI_DEFINITIONS_H_
