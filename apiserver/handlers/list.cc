// list: the first page is read here, the rest as the client takes it.
#include <algorithm>
#include <utility>

#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/list_source.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"

namespace asyncops::apiserver {
namespace {

// The revision in a token that asks for the rest of an expired list.
constexpr storage::Revision kRestAsItIsNow = -1;
constexpr std::string_view kContinueExpired =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

storage::ListQuery QueryOf(const ResourceInfo& resource, const std::string& namespace_name,
                           const ListOptions& options) {
  storage::ListQuery query;
  query.resource = resource.GroupResource();
  query.namespace_name = namespace_name;
  query.labels = options.labels;
  query.fields = options.fields;
  if (options.exact) query.at = *options.resource_version;
  if (options.continue_token) {
    query.at = std::max<storage::Revision>(options.continue_token->revision, 0);
    query.after_namespace = options.continue_token->namespace_name;
    query.after_name = options.continue_token->name;
  }
  return query;
}

// Of a list whose moment is compacted away.
http::Response ExpiredList(const Status& status, const ListOptions& options) {
  if (options.continue_token) {
    ContinueToken rest = *options.continue_token;
    rest.revision = kRestAsItIsNow;
    return ExpiredResponse(Status(Reason::kExpired, std::string(kContinueExpired)), rest.Encode());
  }
  if (!options.exact) return ErrorResponse(status);
  return ErrorResponse(
      Status(Reason::kExpired, "The resourceVersion for the provided list is too old."));
}

}  // namespace

void ResourceHandler::List(const ResourceInfo& resource, const ApiContext& context) const {
  const Result<Representation> representation = Negotiate(context.request, Answer::kList);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  const Result<ListOptions> options =
      ParseListOptions(resource, context.request, false, clock_.Now());
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  if (const Status status = CheckReached(options->resource_version); !status.ok())
    return context.respond(ErrorResponse(status));
  const std::string scope = resource.namespaced ? context.info->namespace_name : "";
  Result<std::unique_ptr<ListSource>> source =
      ListSource::Open(registry_.store(), resource, *representation,
                       QueryOf(resource, scope, *options), options->limit, clock_.Now());
  if (!source.ok()) {
    return context.respond(source.status().reason() == Reason::kExpired
                               ? ExpiredList(source.status(), *options)
                               : ErrorResponse(source.status()));
  }
  http::Response response = JsonResponse(200, "");
  response.source = std::move(*source);
  context.respond(std::move(response));
}

}  // namespace asyncops::apiserver
