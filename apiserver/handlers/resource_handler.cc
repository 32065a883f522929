#include "apiserver/handlers/resource_handler.h"

#include <utility>

#include "apiserver/handlers/respond.h"

namespace asyncops::apiserver {
namespace {

Status MethodNotAllowed(const ResourceInfo& resource, const std::string& verb) {
  StatusDetails details;
  details.group = resource.group;
  details.kind = resource.plural;
  return Status(Reason::kMethodNotAllowed, verb + " is not supported on resources of kind \"" +
                                               resource.GroupResource() + "\"")
      .WithDetails(std::move(details));
}

// Whether the verb is for one object by its name, or for what is below it.
bool NamesObject(const RequestInfo& info) {
  return !info.name.empty() && info.verb != "list" && info.verb != "watch" &&
         info.verb != "deletecollection";
}

// apimachinery's IsValidPathSegmentName; a '/' cannot come this far.
Status CheckPathName(const std::string& name) {
  const std::string prefix = "Name parameter invalid: \"" + name + "\": ";
  if (name == "." || name == "..") return BadRequest(prefix + "may not be '" + name + "'");
  if (name.find('%') != std::string::npos) return BadRequest(prefix + "may not contain '%'");
  return Status::Ok();
}

}  // namespace

void ResourceHandler::Handle(const ResourceInfo& resource, ApiContext context) const {
  const RequestInfo& info = *context.info;
  const SubresourceInfo* subresource = FindSubresource(resource, info.subresource);
  const bool known =
      info.subresource.empty() ? !HasOnlySubresources(resource) : subresource != nullptr;
  // A cluster-scoped resource below a namespace, or a namespaced object outside of one, is no path
  // of ours.
  const bool named = NamesObject(info);
  const bool scope_fits = resource.namespaced ? info.in_namespace || !named : !info.in_namespace;
  if (!known || !scope_fits) {
    return context.respond(ErrorResponse(
        Status(Reason::kNotFound, "the server could not find the requested resource")));
  }
  if (named) {
    if (const Status status = CheckPathName(info.name); !status.ok())
      return context.respond(ErrorResponse(status));
  }
  if (subresource != nullptr) return HandleSubresource(resource, *subresource, std::move(context));
  const bool creates =
      info.verb == "create" && info.name.empty() && (!resource.namespaced || info.in_namespace);
  const bool changes = named && (info.verb == "update" || info.verb == "patch");
  if (info.verb == "get") return Get(resource, context);
  if (info.verb == "list") return List(resource, context);
  if (info.verb == "watch") return Watch(resource, context);
  if (info.verb == "delete") return Delete(resource, std::move(context));
  if (info.verb == "deletecollection" && info.in_namespace)
    return DeleteCollection(resource, std::move(context));
  if (creates || changes) return Write(resource, std::move(context));
  context.respond(ErrorResponse(MethodNotAllowed(resource, info.verb)));
}

void ResourceHandler::HandleSubresource(const ResourceInfo& resource,
                                        const SubresourceInfo& subresource,
                                        ApiContext context) const {
  const std::string& verb = context.info->verb;
  if (!subresource.Serves(verb))
    return context.respond(ErrorResponse(MethodNotAllowed(resource, verb)));
  if (subresource.lists_operations) return ListOwned(std::move(context));
  if (subresource.acts) return Act(resource, subresource, std::move(context));
  if (subresource.name == "history") return History(resource, context);
  if (verb == "get") return Get(resource, context);
  Write(resource, std::move(context));
}

Status ResourceHandler::CheckReached(const std::optional<storage::Revision>& wanted) const {
  if (wanted.value_or(0) == 0) return Status::Ok();
  const storage::Revision present = registry_.store().revision();
  if (*wanted <= present) return Status::Ok();
  StatusDetails details;
  details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  details.retry_after_seconds = 1;
  return Status(Reason::kTimeout,
                "Timeout: Too large resource version: " + std::to_string(*wanted) +
                    ", current: " + std::to_string(present))
      .WithDetails(std::move(details));
}

}  // namespace asyncops::apiserver
