// get, of an object and of its subresources.
#include <utility>

#include "api/schema/binding.h"
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
  const Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  if (representation->view == View::kPartialMetadata) {
    return context.respond(ErrorResponse(
        Status(Reason::kNotAcceptable, "a history can be read whole, or as a Table")));
  }
  const Result<storage::Record> record = registry_.Get(resource, info.namespace_name, info.name);
  if (!record.ok()) return context.respond(ErrorResponse(record.status()));
  const Result<AsyncOperationHistory> history =
      ReadHistory(registry_.store().engine(), *record, context.request.query);
  if (!history.ok()) return context.respond(ErrorResponse(history.status()));
  if (representation->view == View::kTable) {
    const Json table = HistoryTable(*history, representation->version);
    return context.respond(JsonResponse(200, EncodeJson(table)));
  }
  // For people with `kubectl get --raw`: one attempt should be readable as it stands.
  const Json json = AsyncOperationHistory::Binding().Encode(*history);
  context.respond(JsonResponse(200, EncodePrettyJson(json)));
}

}  // namespace asyncops::apiserver
