// One server-side apply, as it came; for the registry alone.
#ifndef ASYNCOPS_APISERVER_REGISTRY_APPLY_H_
#define ASYNCOPS_APISERVER_REGISTRY_APPLY_H_

#include <string>

#include "api/scheme.h"
#include "apiserver/registry/registry.h"

namespace asyncops::apiserver {

struct Registry::ApplyCall {
  const ResourceInfo& resource;
  std::string namespace_name;
  std::string name;
  std::string subresource;
  DecodedBody configuration;
  WriteOptions options;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_APPLY_H_
