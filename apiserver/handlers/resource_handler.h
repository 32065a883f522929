// Requests for objects: negotiate, decode, call the registry, encode. One file per verb beside this one.
#ifndef ASYNCOPS_APISERVER_HANDLERS_RESOURCE_HANDLER_H_
#define ASYNCOPS_APISERVER_HANDLERS_RESOURCE_HANDLER_H_

#include "apiserver/handlers/api_context.h"
#include "apiserver/registry/registry.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// Safe for use from several threads.
class ResourceHandler {
 public:
  // Both outlive it.
  ResourceHandler(Registry& registry, const Clock& clock);

  // Answers a resource request of a user who may make it. `resource` is what info names.
  void Handle(const ResourceInfo& resource, ApiContext context) const;

 private:
  Registry& registry_;
  const Clock& clock_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_RESOURCE_HANDLER_H_
