// The objects of meta.k8s.io that travel with every resource but are no part of one.
#ifndef ASYNCOPS_API_OPENAPI_META_SCHEMAS_H_
#define ASYNCOPS_API_OPENAPI_META_SCHEMAS_H_

#include <string_view>

#include "api/scheme.h"

namespace asyncops::openapi {

inline constexpr std::string_view kStatusName = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
inline constexpr std::string_view kDeleteOptionsName =
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
inline constexpr std::string_view kPatchName = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

SchemaRef StatusSchema();
SchemaRef DeleteOptionsSchema();
// The body of a PATCH: any of the patch formats.
SchemaRef PatchSchema();

// "dev.asyncops.v1alpha1.AsyncResourceList".
std::string ListName(const ResourceInfo& resource);
// The list of a resource's objects.
SchemaRef ListSchema(const ResourceInfo& resource);

}  // namespace asyncops::openapi

#endif  // ASYNCOPS_API_OPENAPI_META_SCHEMAS_H_
