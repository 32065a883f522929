// A schema in the JSON of OpenAPI 2.0, OpenAPI 3.0 or a CustomResourceDefinition.
#ifndef ASYNCOPS_API_OPENAPI_SCHEMA_JSON_H_
#define ASYNCOPS_API_OPENAPI_SCHEMA_JSON_H_

#include <map>
#include <string>

#include "api/schema/schema.h"
#include "base/json.h"

namespace asyncops::openapi {

enum class Dialect {
  kV2,          // objects with a name are `#/definitions/NAME`
  kV3,          // ... `#/components/schemas/NAME`, in an allOf so that siblings count
  kStructural,  // everything in place, as apiextensions.k8s.io/v1 wants it
};

// The object itself, its named parts as references (but in kStructural).
Json DefinitionJson(const Schema& schema, Dialect dialect);

// `{"$ref": "..."}` to the definition of that name.
Json ReferenceJson(const std::string& name, Dialect dialect);

// The named objects that a schema is made of, itself included, by name. Adds to `definitions`.
void CollectDefinitions(const SchemaRef& schema, std::map<std::string, SchemaRef>* definitions);

}  // namespace asyncops::openapi

#endif  // ASYNCOPS_API_OPENAPI_SCHEMA_JSON_H_
