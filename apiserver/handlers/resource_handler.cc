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

// Whether the verb is for one object by its name.
bool NamesObject(const RequestInfo& info) {
  if (info.name.empty()) return false;
  return info.verb == "get" || info.verb == "update" || info.verb == "patch" ||
         info.verb == "delete";
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
  const bool known_subresource = info.subresource.empty() ||
                                 (info.subresource == "status" && resource.has_status) ||
                                 (info.subresource == "history" && resource.has_history);
  // A cluster-scoped resource below a namespace, or a namespaced object outside of one, is no path
  // of ours.
  const bool named = NamesObject(info);
  const bool scope_fits = resource.namespaced ? info.in_namespace || !named : !info.in_namespace;
  if (!known_subresource || !scope_fits) {
    return context.respond(ErrorResponse(
        Status(Reason::kNotFound, "the server could not find the requested resource")));
  }
  if (named) {
    if (const Status status = CheckPathName(info.name); !status.ok())
      return context.respond(ErrorResponse(status));
  }
  const bool creates =
      info.verb == "create" && info.name.empty() && (!resource.namespaced || info.in_namespace);
  const bool changes = named && (info.verb == "update" || info.verb == "patch");
  if (info.subresource == "history" && info.verb == "get") return History(resource, context);
  const bool whole = info.subresource.empty();
  const bool status = info.subresource == "status";
  if (info.verb == "get" && (whole || status)) return Get(resource, context);
  if (info.verb == "list") return List(resource, context);
  if (info.verb == "watch") return Watch(resource, context);
  if (info.verb == "deletecollection" && info.in_namespace)
    return DeleteCollection(resource, std::move(context));
  if (info.verb == "delete" && whole) return Delete(resource, std::move(context));
  if (creates || (changes && (whole || status))) return Write(resource, std::move(context));
  context.respond(ErrorResponse(MethodNotAllowed(resource, info.verb)));
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
