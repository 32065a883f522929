// get, of an object and of its subresources.
#include <utility>

#include "apiserver/handlers/history.h"
#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/object_response.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"

namespace asyncops::apiserver {

void ResourceHandler::Get(const ResourceInfo& resource, const ApiContext& context) const {
  const RequestInfo& info = *context.info;
  const Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  const auto version = ParseResourceVersion(context.request.query);
  const Status status = version.ok() ? CheckReached(*version) : version.status();
  if (!status.ok()) return context.respond(ErrorResponse(status));
  const std::string scope = resource.namespaced ? info.namespace_name : "";
  Result<storage::Record> record = registry_.Get(resource, scope, info.name);
  if (!record.ok()) return context.respond(ErrorResponse(record.status()));
  context.respond(
      ObjectResponse(resource, *representation, 200, std::move(record->json), clock_.Now()));
}

void ResourceHandler::History(const ResourceInfo& resource, const ApiContext& context) const {
  const RequestInfo& info = *context.info;
  const Result<storage::Record> record = registry_.Get(resource, info.namespace_name, info.name);
  if (!record.ok()) return context.respond(ErrorResponse(record.status()));
  const Result<Json> history =
      ReadHistory(registry_.store().engine(), resource, *record, context.request.query);
  if (!history.ok()) return context.respond(ErrorResponse(history.status()));
  // For people with `kubectl get --raw`: one attempt should be readable as it stands.
  context.respond(JsonResponse(200, EncodePrettyJson(*history)));
}

}  // namespace asyncops::apiserver
