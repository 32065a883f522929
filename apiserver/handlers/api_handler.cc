#include "apiserver/handlers/api_handler.h"

#include <optional>
#include <utility>

#include "apiserver/handlers/counted_source.h"
#include "apiserver/handlers/respond.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kValidatePath = "/validate";

bool IsMutating(const RequestInfo& info) {
  return info.verb != "get" && info.verb != "list" && info.verb != "watch" && info.verb != "head";
}

// `?timeout=` of requests that are not watches: it must read as a duration.
Status CheckTimeout(const http::Request& request) {
  if (!request.query.Has("timeout") || ParseDuration(request.query.Get("timeout"))) {
    return Status::Ok();
  }
  return BadRequest("invalid timeout specified in the request URL");
}

Status CheckImpersonation(const http::Request& request) {
  for (const auto& [name, value] : request.headers.all()) {
    constexpr std::string_view kPrefix = "impersonate-";
    if (name.size() < kPrefix.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < kPrefix.size(); ++i) {
      const char c = name[i];
      same = same && (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == kPrefix[i];
    }
    if (same) return {Reason::kForbidden, "impersonation is not allowed by this server"};
  }
  return Status::Ok();
}

Attributes AttributesOf(const RequestInfo& info, const UserInfo& user) {
  Attributes attributes;
  attributes.user = user;
  attributes.verb = info.verb;
  attributes.resource_request = info.resource_request;
  attributes.group = info.group;
  attributes.version = info.version;
  attributes.resource = info.resource;
  attributes.subresource = info.subresource;
  attributes.namespace_name = info.namespace_name;
  attributes.name = info.name;
  attributes.path = info.path;
  return attributes;
}

}  // namespace

struct ApiHandler::Passage {
  std::string audit_id;
  RequestInfo info;
  std::string user;
  std::string remote_address;
  SteadyTime started{};
  bool dry_run = false;
  bool known_resource = false;
  std::atomic<int>* in_flight = nullptr;  // of its kind, once admitted

  // Counts it out, at the answer, or where a handler dropped it.
  void Leave() {
    if (in_flight != nullptr) std::exchange(in_flight, nullptr)->fetch_sub(1);
  }
  ~Passage() { Leave(); }
};

ApiHandler::ApiHandler(ApiHandlerOptions options, const Authenticator& authenticator,
                       const Authorizer& authorizer, Metrics& metrics, const Clock& clock,
                       IdGenerator& ids)
    : options_(std::move(options)),
      authenticator_(authenticator),
      authorizer_(authorizer),
      metrics_(metrics),
      clock_(clock),
      ids_(ids) {}

std::size_t ApiHandler::MaxBodyBytes(const http::Request& head) const {
  return head.path == kValidatePath ? kMaxReviewBodyBytes : kMaxRequestBodyBytes;
}

const ResourceInfo* ApiHandler::FindServed(const RequestInfo& info) const {
  for (const ResourceInfo& resource : options_.resources) {
    if (resource.plural == info.resource && resource.group == info.group &&
        resource.version == info.version) {
      return &resource;
    }
  }
  return nullptr;
}

void ApiHandler::Handle(http::Request request, http::Responder respond) {
  ApiContext context;
  context.info = ParseRequestInfo(request);
  auto passage = std::make_shared<Passage>();
  passage->info = context.info;
  passage->started = clock_.SteadyNow();
  passage->remote_address = request.remote_address;
  passage->dry_run = request.query.Has("dryRun");
  passage->known_resource = FindServed(context.info) != nullptr;
  const std::string_view given = request.headers.Get("Audit-ID");
  passage->audit_id = given.empty() || given.size() > 64 ? ids_.Uuid() : std::string(given);
  context.respond = Observed(passage, std::move(respond));
  context.request = std::move(request);

  const Result<std::optional<UserInfo>> user = authenticator_.Authenticate(context.request);
  if (!user.ok() || !user->has_value()) {
    context.respond(ErrorResponse(Status(Reason::kUnauthorized, "Unauthorized")));
    return;
  }
  context.user = **user;
  passage->user = context.user.name;
  for (const Status& status : {CheckImpersonation(context.request), CheckTimeout(context.request),
                               Admit(context.info, context.user)}) {
    if (status.ok()) continue;
    context.respond(ErrorResponse(status));
    return;
  }
  passage->in_flight = IsMutating(context.info) ? &mutating_in_flight_ : &read_only_in_flight_;

  const Attributes attributes = AttributesOf(context.info, context.user);
  auto shared = std::make_shared<ApiContext>(std::move(context));
  authorizer_.Authorize(attributes, [this, shared, attributes](const Decision& decision) {
    if (decision.allowed) return Dispatch(std::move(*shared));
    // Whoever showed no credential is asked for one first.
    const bool anonymous = shared->user.name == kAnonymousUser;
    shared->respond(ErrorResponse(anonymous ? Status(Reason::kUnauthorized, "Unauthorized")
                                            : ForbiddenStatus(attributes, decision.reason)));
  });
}

Status ApiHandler::Admit(const RequestInfo& info, const UserInfo& user) {
  const bool mutating = IsMutating(info);
  std::atomic<int>& in_flight = mutating ? mutating_in_flight_ : read_only_in_flight_;
  const int limit = mutating ? kMaxMutatingInFlight : kMaxReadOnlyInFlight;
  const bool exempt = user.InGroup(kMastersGroup) || !info.resource_request;
  if (in_flight.fetch_add(1) < limit || exempt) return Status::Ok();
  in_flight.fetch_sub(1);
  return Status(Reason::kTooManyRequests, "Too many requests, please try again later.")
      .WithRetryAfter(1);
}

http::Responder ApiHandler::Observed(std::shared_ptr<Passage> passage, http::Responder respond) {
  return [this, passage, respond = std::move(respond)](http::Response response) {
    passage->Leave();
    const double seconds =
        std::chrono::duration<double>(clock_.SteadyNow() - passage->started).count();
    RequestInfo unknown;
    unknown.verb = passage->info.verb;
    metrics_.Observe({.info = passage->known_resource ? &passage->info : &unknown,
                      .code = response.status,
                      .seconds = seconds,
                      .response_bytes = response.body.size(),
                      .dry_run = passage->dry_run});
    if (response.source != nullptr && passage->info.verb == "watch") {
      response.source = std::make_unique<CountedSource>(std::move(response.source), metrics_,
                                                        passage->info.resource);
    }
    response.headers.Add("Audit-Id", passage->audit_id);
    Log(LogLevel::kDebug, "request",
        {{"auditID", passage->audit_id},
         {"verb", passage->info.verb},
         {"path", passage->info.path},
         {"user", passage->user},
         {"sourceIP", passage->remote_address},
         {"code", response.status},
         {"latencySeconds", seconds}});
    respond(std::move(response));
  };
}

void ApiHandler::Dispatch(ApiContext context) const {
  if (context.info.resource_request) {
    const ResourceInfo* resource = FindServed(context.info);
    if (resource != nullptr) return options_.handle_resource(*resource, std::move(context));
  }
  DispatchPath(context);
}

void ApiHandler::DispatchPath(const ApiContext& context) const {
  const http::Request& request = context.request;
  if (request.path == kValidatePath && request.method == "POST")
    return context.respond(options_.review(request));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  for (PathHandler* handler : options_.path_handlers) {
    if (!reads) break;
    std::optional<http::Response> response = handler->Serve(request);
    if (response) return context.respond(std::move(*response));
  }
  if (!reads && request.path == kValidatePath) {
    return context.respond(ErrorResponse(
        Status(Reason::kMethodNotAllowed, "the server does not allow this method on /validate")));
  }
  context.respond(
      ErrorResponse(Status(Reason::kNotFound, "the server could not find the requested resource")));
}

}  // namespace asyncops::apiserver
