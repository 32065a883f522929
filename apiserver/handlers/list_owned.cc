// asyncresources/NAME/asyncoperations: the list, or watch, of the operations of one AsyncResource.
#include <memory>
#include <utility>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "apiserver/handlers/request_filters.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "base/encoding.h"

namespace asyncops::apiserver {
namespace {

// The query with one more term of its field selector.
http::Query WithFieldTerm(const http::Query& query, const std::string& term) {
  std::string text;
  std::string selector(query.Get("fieldSelector"));
  for (const auto& [name, value] : query.all()) {
    if (name == "fieldSelector") continue;
    text += PercentEncode(name) + "=" + PercentEncode(value) + "&";
  }
  selector += (selector.empty() ? "" : ",") + term;
  // What was just encoded decodes.
  return *http::Query::Parse(text + "fieldSelector=" + PercentEncode(selector));
}

// The request for the operations themselves.
std::shared_ptr<const RequestInfo> InfoOfList(const RequestInfo& info, const ResourceInfo& listed) {
  auto out = std::make_shared<RequestInfo>(info);
  out->verb = info.streams ? "watch" : "list";
  out->resource = listed.plural;
  out->name = "";
  out->subresource = "";
  return out;
}

}  // namespace

void ResourceHandler::ListOwned(ApiContext context) const {
  const ResourceInfo& owner = *FindResource(kAsyncopsGroup, OperationOwners().plural);
  auto waiting = std::make_shared<ApiContext>(std::move(context));
  const RequestInfo& info = *waiting->info;
  // Whoever may not see the resource is not told what was done for it, nor whether it is there.
  Attributes get_owner = AttributesOf(info, *waiting->user);
  get_owner.verb = "get";
  get_owner.group = owner.group;
  get_owner.version = owner.version;
  get_owner.resource = owner.plural;
  get_owner.subresource = "";
  authorizer_.Authorize(get_owner, [this, waiting, get_owner, &owner](const Decision& decision) {
    if (!decision.allowed)
      return waiting->respond(ErrorResponse(RefusalStatus(get_owner, decision)));
    ListOperationsOf(owner, std::move(*waiting));
  });
}

void ResourceHandler::ListOperationsOf(const ResourceInfo& owner, ApiContext context) const {
  const RequestInfo& info = *context.info;
  const Result<Json> found = registry_.GetDeclared(owner, info.namespace_name, info.name);
  if (!found.ok()) return context.respond(ErrorResponse(found.status()));
  const ResourceInfo& listed = *FindResource(OperationOwners().group, kAsyncOperations);
  const std::string uid(found->StringAt({"metadata", "uid"}));
  context.request.query = WithFieldTerm(context.request.query, "spec.resourceRef.uid=" + uid);
  context.info = InfoOfList(info, listed);
  Handle(listed, std::move(context));
}

}  // namespace asyncops::apiserver
