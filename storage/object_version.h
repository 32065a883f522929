// From an object's JSON to what the store keeps of it: the one place where the API server and the
// reconciler agree on bytes, labels and selectable fields.
#ifndef ASYNCOPS_STORAGE_OBJECT_VERSION_H_
#define ASYNCOPS_STORAGE_OBJECT_VERSION_H_

#include "api/scheme.h"
#include "base/json.h"
#include "storage/record.h"

namespace asyncops::storage {

// `object` is complete but for its resourceVersion, which is the store's. Fields are those of
// resource.selectable_fields that are there and scalar.
ObjectVersion MakeObjectVersion(const ResourceInfo& resource, const Json& object);

ObjectKey KeyOf(const ResourceInfo& resource, std::string_view namespace_name,
                std::string_view name);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_OBJECT_VERSION_H_
