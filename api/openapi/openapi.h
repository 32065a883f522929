// OpenAPI documents and CRD manifests made from schemas.
#ifndef ASYNCOPS_API_OPENAPI_OPENAPI_H_
#define ASYNCOPS_API_OPENAPI_OPENAPI_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/scheme.h"
#include "base/json.h"

namespace asyncops {

// The Swagger 2.0 document of these resources (ServedResources, or some of them): definitions, and
// paths with their actions, verbs and query parameters (dryRun, fieldValidation, fieldManager ...),
// as kube-aggregator and kubectl up to 1.28 read it.
Json MakeOpenApiV2(const std::vector<ResourceInfo>& resources);

// The Content-Type of its protobuf form. Clients ask for it with `@` in place of the first dot
// after `v2`, but an answer with an `@` is one that they cannot parse ("unexpected content after
// media subtype").
inline constexpr std::string_view kOpenApiV2ProtobufType =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// The same document as a gnostic openapi.v2.Document in protobuf: what kubectl up to 1.28 needs to
// create anything.
std::string EncodeOpenApiV2Protobuf(const Json& document);

// The OpenAPI 3.0 document of one group-version ("asyncops.dev/v1alpha1", "v1").
Json MakeOpenApiV3(const std::vector<ResourceInfo>& resources, std::string_view group_version);

// The Content-Type of its protobuf form; asked for as that of version 2 is.
inline constexpr std::string_view kOpenApiV3ProtobufType =
    "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

// The same document as a gnostic openapi.v3.Document in protobuf.
std::string EncodeOpenApiV3Protobuf(const Json& document);

// The CustomResourceDefinition of a resource (apiextensions.k8s.io/v1).
Json MakeCustomResourceDefinition(const ResourceInfo& resource);

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPENAPI_OPENAPI_H_
