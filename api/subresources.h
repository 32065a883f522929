// What hangs below a resource's objects: discovery, OpenAPI and the API server's routes are all
// made from it.
#ifndef ASYNCOPS_API_SUBRESOURCES_H_
#define ASYNCOPS_API_SUBRESOURCES_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/scheme.h"

namespace asyncops {

// One subresource. Immutable.
struct SubresourceInfo {
  std::string name = {};  // "cancel"
  // What is read or posted, in the resource's group and version; "" is the resource's own kind.
  std::string kind = {};
  SchemaRef schema = {};                // of that kind; null is the resource's own
  std::vector<std::string> verbs = {};  // "get", "create" (a POST), "patch", "update"
  std::string description = {};         // of the call, where it is not one of the resource's own
  bool pages = false;                   // its get takes limit and continue
  bool lists_operations = false;        // its get is a list (or watch) of asyncoperations
  bool acts = false;                    // its create asks something of the object, and answers it
  bool body_required = true;            // of its create

  bool Serves(std::string_view verb) const;
};

// By name.
const std::vector<SubresourceInfo>& SubresourcesOf(const ResourceInfo& resource);
// Null where there is none of that name.
const SubresourceInfo* FindSubresource(const ResourceInfo& resource, std::string_view name);

// asyncresources in the group of operations: the objects are those of asyncops.dev, and only their
// subresource asyncoperations is served here. It has no schema.
const ResourceInfo& OperationOwners();
bool HasOnlySubresources(const ResourceInfo& resource);

// AllResources and OperationOwners: whatever has a path.
const std::vector<ResourceInfo>& ServedResources();

}  // namespace asyncops

#endif  // ASYNCOPS_API_SUBRESOURCES_H_
