// Requests for objects: negotiate, decode, call the registry, encode. Each verb is in the file of
// its name; lists and watches stream (list_source.h, watch_source.h).
#ifndef ASYNCOPS_APISERVER_HANDLERS_RESOURCE_HANDLER_H_
#define ASYNCOPS_APISERVER_HANDLERS_RESOURCE_HANDLER_H_

#include <optional>

#include "api/subresources.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/handlers/api_context.h"
#include "apiserver/registry/registry.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// Safe for use from several threads.
class ResourceHandler {
 public:
  // All outlive it.
  ResourceHandler(Registry& registry, const Authorizer& authorizer, const Clock& clock,
                  IdGenerator& ids)
      : registry_(registry), authorizer_(authorizer), clock_(clock), ids_(ids) {}

  // Answers a resource request of a user who may make it. `resource` is what info names.
  void Handle(const ResourceInfo& resource, ApiContext context) const;

 private:
  void HandleSubresource(const ResourceInfo& resource, const SubresourceInfo& subresource,
                         ApiContext context) const;
  // 504 where that version is still to come, with the cause on which reflectors list from scratch.
  Status CheckReached(const std::optional<storage::Revision>& wanted) const;
  void Get(const ResourceInfo& resource, const ApiContext& context) const;
  void History(const ResourceInfo& resource, const ApiContext& context) const;
  void List(const ResourceInfo& resource, const ApiContext& context) const;
  void Watch(const ResourceInfo& resource, const ApiContext& context) const;
  // Create, update and patch.
  void Write(const ResourceInfo& resource, ApiContext context) const;
  // A patch; one that would make an object is for whoever may create it, too.
  void Patch(const ResourceInfo& resource, const ApiContext& context, PatchType type,
             DecodedBody body, WriteOptions options, WriteCallback done) const;
  void Delete(const ResourceInfo& resource, ApiContext context) const;
  void DeleteCollection(const ResourceInfo& resource, ApiContext context) const;
  // A POST that asks something of an operation.
  void Act(const ResourceInfo& resource, const SubresourceInfo& action, ApiContext context) const;
  // The operations of one AsyncResource, for whoever may get that.
  void ListOwned(ApiContext context) const;
  // The same, once that is known.
  void ListOperationsOf(const ResourceInfo& owner, ApiContext context) const;

  Registry& registry_;
  const Authorizer& authorizer_;
  const Clock& clock_;
  IdGenerator& ids_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_RESOURCE_HANDLER_H_
