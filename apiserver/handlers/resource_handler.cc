#include "apiserver/handlers/resource_handler.h"

#include <algorithm>
#include <utility>

#include "apiserver/handlers/body.h"
#include "apiserver/handlers/history.h"
#include "apiserver/handlers/list_source.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/table.h"
#include "apiserver/handlers/warnings.h"
#include "apiserver/handlers/watch_source.h"
#include "base/limits.h"

namespace asyncops::apiserver {
namespace {

// apiserver's MinRequestTimeout: a watch without timeoutSeconds ends after one to two times this.
constexpr std::chrono::seconds kMinWatchTimeout{1800};

Status MethodNotAllowed(const ResourceInfo& resource, const std::string& verb) {
  const std::string qualified =
      resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
  StatusDetails details;
  details.group = resource.group;
  details.kind = resource.plural;
  return Status(Reason::kMethodNotAllowed,
                verb + " is not supported on resources of kind \"" + qualified + "\"")
      .WithDetails(std::move(details));
}

http::Response ObjectResponse(const ResourceInfo& resource, const Representation& representation,
                              int code, std::string json, Time now) {
  std::string body;
  switch (representation.view) {
    case View::kObject: body = std::move(json); break;
    case View::kPartialMetadata: AppendPartialMetadata(json, representation.version, &body); break;
    case View::kTable:
      body = "{" + TableHead(resource, representation, true) + ",\"rows\":[";
      AppendTableRow(resource, representation, json, now, &body);
      body += "],\"metadata\":{\"resourceVersion\":\"\"}}";
      break;
  }
  if (representation.pretty) {
    if (const Result<Json> parsed = ParseJson(body); parsed.ok()) body = EncodePrettyJson(*parsed);
  } else {
    body.push_back('\n');
  }
  return JsonResponse(code, std::move(body));
}

// 504 with the cause on which reflectors list again from scratch.
Status TooLargeVersion(storage::Revision wanted, storage::Revision present) {
  StatusDetails details;
  details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  details.retry_after_seconds = 1;
  return Status(Reason::kTimeout, "Timeout: Too large resource version: " + std::to_string(wanted) +
                                      ", current: " + std::to_string(present))
      .WithDetails(std::move(details));
}

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

storage::ListQuery FirstPage(const ResourceInfo& resource, const std::string& namespace_name,
                             const ListOptions& options) {
  storage::ListQuery query;
  query.resource = resource.StorageName();
  query.namespace_name = namespace_name;
  query.labels = options.labels;
  query.fields = options.fields;
  if (options.exact) query.at = *options.resource_version;
  if (options.continue_token) {
    // A token of revision -1 asks for the rest as it is now.
    query.at = std::max<storage::Revision>(options.continue_token->revision, 0);
    query.after_namespace = options.continue_token->namespace_name;
    query.after_name = options.continue_token->name;
  }
  if (options.limit > 0) {
    query.limit = static_cast<int>(
        std::min<std::int64_t>(options.limit, static_cast<std::int64_t>(kMaxRowsPerRead)));
  }
  return query;
}

}  // namespace

void ResourceHandler::Handle(const ResourceInfo& resource, ApiContext context) const {
  const RequestInfo& info = context.info;
  const bool known_subresource = info.subresource.empty() ||
                                 (info.subresource == "status" && resource.has_status) ||
                                 (info.subresource == "history" && resource.has_history);
  // A cluster-scoped resource below a namespace, or a namespaced object outside of one, is no path
  // of ours.
  const bool in_namespace = !info.namespace_name.empty() && resource.plural != "namespaces";
  const bool named =
      info.verb == "get" || info.verb == "update" || info.verb == "patch" || info.verb == "delete";
  const bool scope_fits = resource.namespaced ? in_namespace || !named : !in_namespace;
  if (!known_subresource || !scope_fits) {
    return context.respond(ErrorResponse(
        Status(Reason::kNotFound, "the server could not find the requested resource")));
  }
  const bool status_verb = info.verb == "get" || info.verb == "update" || info.verb == "patch";
  if (!info.subresource.empty() && !status_verb)
    return context.respond(ErrorResponse(MethodNotAllowed(resource, info.verb)));
  if (info.subresource == "history") return History(resource, context);
  if (info.verb == "get") return Get(resource, context);
  if (info.verb == "list") return List(resource, context);
  if (info.verb == "watch") return Watch(resource, context);
  if (info.verb == "delete") return Delete(resource, std::move(context));
  const bool creates =
      info.verb == "create" && info.name.empty() && (!resource.namespaced || in_namespace);
  if (creates || info.verb == "update" || info.verb == "patch")
    return Write(resource, std::move(context));
  context.respond(ErrorResponse(MethodNotAllowed(resource, info.verb)));
}

void ResourceHandler::Get(const ResourceInfo& resource, const ApiContext& context) const {
  const RequestInfo& info = context.info;
  const Result<Representation> representation = Negotiate(context.request, false);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  const std::string scope = resource.namespaced ? info.namespace_name : "";
  Result<storage::Record> record = registry_.Get(resource, scope, info.name);
  if (!record.ok()) return context.respond(ErrorResponse(record.status()));
  context.respond(
      ObjectResponse(resource, *representation, 200, std::move(record->json), clock_.Now()));
}

void ResourceHandler::History(const ResourceInfo& resource, const ApiContext& context) const {
  const RequestInfo& info = context.info;
  if (info.verb != "get")
    return context.respond(ErrorResponse(MethodNotAllowed(resource, info.verb)));
  const Result<storage::Record> record = registry_.Get(resource, info.namespace_name, info.name);
  if (!record.ok()) return context.respond(ErrorResponse(record.status()));
  const Result<Json> history =
      ReadHistory(registry_.store().engine(), resource, *record, context.request.query);
  if (!history.ok()) return context.respond(ErrorResponse(history.status()));
  // For people with `kubectl get --raw`: one attempt should be readable as it stands.
  context.respond(JsonResponse(200, EncodePrettyJson(*history)));
}

void ResourceHandler::List(const ResourceInfo& resource, const ApiContext& context) const {
  const Result<Representation> representation = Negotiate(context.request, true);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  const Result<ListOptions> options = ParseListOptions(resource, context.request, false);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  const storage::Revision wanted = options->resource_version.value_or(0);
  const storage::Revision present = registry_.store().revision();
  if (wanted > present) return context.respond(ErrorResponse(TooLargeVersion(wanted, present)));
  const std::string scope = resource.namespaced ? context.info.namespace_name : "";
  storage::ListQuery query = FirstPage(resource, scope, *options);
  Result<storage::ListPage> page = registry_.store().List(query);
  if (!page.ok()) return context.respond(ErrorResponse(page.status()));
  http::Response response = JsonResponse(200, "");
  response.source =
      std::make_unique<ListSource>(registry_.store(), resource, *representation, std::move(query),
                                   options->limit, std::move(*page), clock_.Now());
  context.respond(std::move(response));
}

void ResourceHandler::Watch(const ResourceInfo& resource, const ApiContext& context) const {
  WatchQuery query;
  const Result<Representation> representation = Negotiate(context.request, true);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  query.representation = *representation;
  Result<ListOptions> options = ParseListOptions(resource, context.request, true);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  query.options = std::move(*options);
  query.namespace_name = resource.namespaced ? context.info.namespace_name : "";
  query.timeout = std::chrono::duration_cast<Duration>(kMinWatchTimeout * (1 + ids_.Fraction()));
  if (query.options.timeout_seconds.value_or(0) > 0)
    query.timeout = std::chrono::seconds(*query.options.timeout_seconds);
  http::Response response = JsonResponse(200, "");
  response.source =
      std::make_unique<WatchSource>(registry_.store(), resource, std::move(query), clock_);
  context.respond(std::move(response));
}

void ResourceHandler::Write(const ResourceInfo& resource, ApiContext context) const {
  const RequestInfo info = context.info;
  const Result<Representation> representation = Negotiate(context.request, false);
  const Result<WriteOptions> options = WriteOptionsOf(context.request);
  for (const Status& status : {representation.status(), options.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  PatchType patch_type = PatchType::kMerge;
  if (info.verb == "patch") {
    const Result<PatchType> type = PatchTypeOf(context.request);
    if (!type.ok()) return context.respond(ErrorResponse(type.status()));
    patch_type = *type;
    context.request.headers.Set("Content-Type", "application/json");
  }
  Result<DecodedBody> body = DecodeBody(context.request);
  if (!body.ok()) return context.respond(ErrorResponse(body.status()));

  WriteCallback done = [&resource, &clock = clock_, representation = *representation,
                        respond = std::move(context.respond)](Result<WriteResult> result) {
    if (!result.ok()) return respond(ErrorResponse(result.status()));
    http::Response response = ObjectResponse(resource, representation, result->created ? 201 : 200,
                                             std::move(result->json), clock.Now());
    AddWarnings(result->warnings, &response);
    respond(std::move(response));
  };
  const std::string scope = resource.namespaced ? info.namespace_name : "";
  if (info.verb == "create")
    return registry_.Create(resource, scope, std::move(*body), *options, std::move(done));
  if (info.verb == "update") {
    return registry_.Update(resource, scope, info.name, info.subresource, std::move(*body),
                            *options, std::move(done));
  }
  registry_.Patch(resource, scope, info.name, info.subresource, patch_type, std::move(*body),
                  *options, std::move(done));
}

void ResourceHandler::Delete(const ResourceInfo& resource, ApiContext context) const {
  Result<DeleteOptions> options = DeleteOptionsOf(context.request);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  const std::string name = context.info.name;
  const std::string scope = resource.namespaced ? context.info.namespace_name : "";
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
