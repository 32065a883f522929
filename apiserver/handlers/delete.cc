// delete.
#include <utility>

#include "apiserver/handlers/body.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"

namespace asyncops::apiserver {
namespace {

// What a finished deletion answers: kubectl reads the uid to notice a successor of the same name.
Json DeletedStatus(const ResourceInfo& resource, const std::string& name, const std::string& uid) {
  JsonObject details;
  details.Set("name", name);
  if (!resource.group.empty()) details.Set("group", resource.group);
  details.Set("kind", resource.plural);
  details.Set("uid", uid);
  return Json::Of({{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", JsonObject()},
                   {"status", "Success"},
                   {"details", std::move(details)}});
}

}  // namespace

void ResourceHandler::Delete(const ResourceInfo& resource, ApiContext context) const {
  Result<DeleteOptions> options = DeleteOptionsOf(context.request);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  const std::string name = context.info->name;
  const std::string scope = resource.namespaced ? context.info->namespace_name : "";
  registry_.Delete(
      resource, scope, name, std::move(*options),
      [&resource, name, respond = std::move(context.respond)](Result<WriteResult> result) {
        if (!result.ok()) return respond(ErrorResponse(result.status()));
        std::string json = result->deleted ? EncodeJson(DeletedStatus(resource, name, result->uid))
                                           : std::move(result->json);
        respond(JsonResponse(200, std::move(json) + "\n"));
      });
}

}  // namespace asyncops::apiserver
