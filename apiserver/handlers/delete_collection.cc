// deletecollection: what a list would show is deleted.
#include <utility>

#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/write_options.h"
#include "apiserver/http/status_response.h"

namespace asyncops::apiserver {
namespace {

// A list of the objects as they were, or a Status where they were too many to show.
std::string BodyOf(const ResourceInfo& resource, const std::string& namespace_name,
                   const CollectionResult& result) {
  if (!result.items) {
    StatusDetails details;
    details.group = resource.group;
    details.kind = resource.plural;
    return EncodeJson(http::SuccessJson(details));
  }
  JsonObject metadata;
  metadata.Set("resourceVersion", std::to_string(result.revision));
  if (!result.last_name.empty()) {
    const ContinueToken next{
        .revision = result.revision, .namespace_name = namespace_name, .name = result.last_name};
    metadata.Set("continue", next.Encode());
  }
  std::string body = "{\"apiVersion\":\"" + resource.GroupVersion() + "\",\"items\":[";
  for (std::size_t i = 0; i < result.items->size(); ++i)
    body.append(i == 0 ? "" : ",").append((*result.items)[i]);
  body += "],\"kind\":\"" + resource.kind + "List\",\"metadata\":";
  return body.append(EncodeJson(Json(std::move(metadata)))).append("}");
}

}  // namespace

void ResourceHandler::DeleteCollection(const ResourceInfo& resource, ApiContext context) const {
  Result<ListOptions> list = ParseListOptions(resource, context.request, false, clock_.Now());
  if (!list.ok()) return context.respond(ErrorResponse(list.status()));
  if (list->exact) {
    return context.respond(ErrorResponse(
        BadRequest("resourceVersionMatch=Exact names a past state: what is deleted is what is "
                   "there now")));
  }
  Result<DeleteOptions> options = DeleteOptionsOf(context.request);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  CollectionQuery query;
  query.namespace_name = resource.namespaced ? context.info->namespace_name : "";
  query.labels = std::move(list->labels);
  query.fields = std::move(list->fields);
  query.limit = list->limit;
  if (list->continue_token) query.after_name = list->continue_token->name;
  const std::string scope = query.namespace_name;
  registry_.DeleteCollection(resource, query, std::move(*options),
                             [&resource, scope, respond = std::move(context.respond)](
                                 const Result<CollectionResult>& result) {
                               if (!result.ok()) return respond(ErrorResponse(result.status()));
                               respond(JsonResponse(200, BodyOf(resource, scope, *result) + "\n"));
                             });
}

}  // namespace asyncops::apiserver
