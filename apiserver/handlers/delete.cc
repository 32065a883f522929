// delete.
#include <utility>

#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/object_response.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/write_options.h"
#include "apiserver/http/status_response.h"

namespace asyncops::apiserver {
namespace {

// What a finished deletion answers: kubectl reads the uid to notice a successor of the same name.
Json DeletedStatus(const ResourceInfo& resource, const std::string& name, const std::string& uid) {
  StatusDetails details;
  details.name = name;
  details.group = resource.group;
  details.kind = resource.plural;
  details.uid = uid;
  return http::SuccessJson(details);
}

}  // namespace

void ResourceHandler::Delete(const ResourceInfo& resource, ApiContext context) const {
  Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  Result<DeleteOptions> options = DeleteOptionsOf(context.request);
  for (const Status& status : {representation.status(), options.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  const std::string name = context.info->name;
  const std::string scope = resource.namespaced ? context.info->namespace_name : "";
  // The one client that hears Accepted is the one that asked for dependents in the old way.
  const int held_code = options->orphan_dependents.value_or(true) ? 200 : 202;
  registry_.Delete(
      resource, scope, name, std::move(*options),
      [this, &resource, name, held_code, representation = *std::move(representation),
       respond = std::move(context.respond)](Result<WriteResult> result) {
        if (!result.ok()) return respond(ErrorResponse(result.status()));
        if (!result->deleted) {
          return respond(ObjectResponse(resource, representation, held_code,
                                        std::move(result->json), clock_.Now()));
        }
        // A Status is one in every representation.
        respond(JsonResponse(200, EncodeJson(DeletedStatus(resource, name, result->uid)) + "\n"));
      });
}

}  // namespace asyncops::apiserver
