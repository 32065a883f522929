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
// A year: what is longer overflows clocks and serves nobody.
constexpr std::int64_t kMaxWatchSeconds = 365LL * 24 * 3600;
// The revision in a token that asks for the rest of an expired list.
constexpr storage::Revision kRestAsItIsNow = -1;
constexpr std::string_view kContinueExpired =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

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
    case View::kTable: AppendTableOfOne(resource, representation, true, json, now, &body); break;
  }
  if (representation.pretty) {
    if (const Result<Json> parsed = ParseJson(body); parsed.ok()) body = EncodePrettyJson(*parsed);
  } else {
    body.push_back('\n');
  }
  return JsonResponse(code, std::move(body));
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

std::chrono::microseconds WatchTimeout(const ListOptions& options, IdGenerator& ids) {
  const std::int64_t seconds = options.timeout_seconds.value_or(0);
  if (seconds > 0) return std::chrono::seconds(std::min(seconds, kMaxWatchSeconds));
  return std::chrono::duration_cast<Duration>(kMinWatchTimeout * (1 + ids.Fraction()));
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

void ResourceHandler::List(const ResourceInfo& resource, const ApiContext& context) const {
  const Result<Representation> representation = Negotiate(context.request, Answer::kList);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  const Result<ListOptions> options = ParseListOptions(resource, context.request, false);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  if (const Status status = CheckReached(options->resource_version); !status.ok())
    return context.respond(ErrorResponse(status));
  const std::string scope = resource.namespaced ? context.info->namespace_name : "";
  storage::ListQuery query = FirstPage(resource, scope, *options);
  Result<storage::ListPage> page = registry_.store().List(query);
  if (!page.ok()) {
    return context.respond(page.status().reason() == Reason::kExpired
                               ? ExpiredList(page.status(), *options)
                               : ErrorResponse(page.status()));
  }
  http::Response response = JsonResponse(200, "");
  response.source =
      std::make_unique<ListSource>(registry_.store(), resource, *representation, std::move(query),
                                   options->limit, std::move(*page), clock_.Now());
  context.respond(std::move(response));
}

void ResourceHandler::Watch(const ResourceInfo& resource, const ApiContext& context) const {
  WatchQuery query;
  const Result<Representation> representation = Negotiate(context.request, Answer::kWatch);
  if (!representation.ok()) return context.respond(ErrorResponse(representation.status()));
  query.representation = *representation;
  Result<ListOptions> options = ParseListOptions(resource, context.request, true);
  if (!options.ok()) return context.respond(ErrorResponse(options.status()));
  // Nobody can have seen such a version: the client's state is of another database, and it is to
  // list again, as for a list.
  if (const Status status = CheckReached(options->resource_version); !status.ok())
    return context.respond(ErrorResponse(status));
  query.options = std::move(*options);
  query.namespace_name = resource.namespaced ? context.info->namespace_name : "";
  query.timeout = WatchTimeout(query.options, ids_);
  http::Response response = JsonResponse(200, "");
  response.source =
      std::make_unique<WatchSource>(registry_.store(), resource, std::move(query), clock_);
  context.respond(std::move(response));
}

void ResourceHandler::Write(const ResourceInfo& resource, ApiContext context) const {
  const RequestInfo& info = *context.info;
  const Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  const Result<WriteOptions> options = WriteOptionsOf(context.request, info.verb);
  for (const Status& status : {representation.status(), options.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  Result<DecodedPatch> patch = DecodedPatch();
  Result<DecodedBody> body = DecodedBody();
  if (info.verb == "patch") {
    patch = DecodePatch(context.request, resource);
  } else {
    body = DecodeBody(context.request);
  }
  for (const Status& status : {patch.status(), body.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }

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
  registry_.Patch(resource, scope, info.name, info.subresource, patch->type, std::move(patch->body),
                  *options, std::move(done));
}

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
