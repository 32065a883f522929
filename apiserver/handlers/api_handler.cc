#include "apiserver/handlers/api_handler.h"

#include <optional>
#include <utility>

#include "apiserver/handlers/counted_source.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/http/gzip.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

// A longer Audit-ID of a client is replaced, as in kube-apiserver.
constexpr std::size_t kMaxAuditId = 64;
// Of a UUID, without its last twelve digits.
constexpr std::size_t kAuditPrefix = 24;
constexpr std::size_t kCompressAbove = 128u * 1024;

bool IsMutating(const RequestInfo& info) {
  return info.verb != "get" && info.verb != "list" && info.verb != "watch" && info.verb != "head";
}

// `?timeout=` must read as a duration; a watch does not look at it.
Status CheckTimeout(const http::Request& request, const RequestInfo& info) {
  const std::string_view timeout = request.query.Get("timeout");
  if (timeout.empty() || info.verb == "watch" || ParseDuration(timeout)) return Status::Ok();
  return BadRequest("invalid timeout specified in the request URL");
}

constexpr std::string_view kImpersonate = "Impersonate-";

Status CheckImpersonation(const http::Request& request) {
  for (const auto& [name, value] : request.headers.all()) {
    if (EqualsIgnoreCase(std::string_view(name).substr(0, kImpersonate.size()), kImpersonate))
      return {Reason::kForbidden, "impersonation is not allowed by this server"};
  }
  return Status::Ok();
}

Status CheckRequest(const http::Request& request, const RequestInfo& info) {
  ASYNCOPS_RETURN_IF_ERROR(CheckImpersonation(request));
  return CheckTimeout(request, info);
}

Attributes AttributesOf(const RequestInfo& info, const UserInfo& user) {
  return {.user = &user,
          .verb = info.verb,
          .resource_request = info.resource_request,
          .group = info.group,
          .version = info.version,
          .resource = info.resource,
          .subresource = info.subresource,
          .namespace_name = info.namespace_name,
          .name = info.name,
          .path = info.path};
}

// As kube-apiserver: whole bodies beyond 128 KiB, at zlib's fastest level.
void Compress(http::Response* response) {
  response->body = http::Gzip(response->body);
  response->headers.Add("Content-Encoding", "gzip");
  response->headers.Add("Vary", "Accept-Encoding");
}

Status MethodNotAllowed(const http::Request& request) {
  return {Reason::kMethodNotAllowed,
          "the server does not allow " + request.method + " on " + request.path};
}

Status Unauthorized() { return {Reason::kUnauthorized, "Unauthorized"}; }

}  // namespace

// One request on its way, for the counts, the metrics and the audit line. It lives as long as
// anybody holds the responder, and counts itself out where a handler dropped that.
struct ApiHandler::Passage {
  explicit Passage(ApiHandler& handler) : owner(handler) {}
  ~Passage() { owner.Leave(this); }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  ApiHandler& owner;
  http::Responder respond;
  std::string audit_id;
  std::shared_ptr<const RequestInfo> info;
  UserPointer user;
  std::string remote_address;
  SteadyTime started{};
  int resource_index = -1;
  bool dry_run = false;
  bool accepts_gzip = false;
  std::atomic<int>* in_flight = nullptr;  // of its kind, once admitted
};

ApiHandler::ApiHandler(ApiHandlerOptions options, const Authenticator& authenticator,
                       const Authorizer& authorizer, Metrics& metrics, const Clock& clock,
                       IdGenerator& ids)
    : options_(std::move(options)),
      authenticator_(authenticator),
      authorizer_(authorizer),
      metrics_(metrics),
      clock_(clock),
      audit_prefix_(ids.Uuid().substr(0, kAuditPrefix)) {}

std::size_t ApiHandler::MaxBodyBytes(const http::Request& head) const {
  return head.path == options_.review_path ? kMaxReviewBodyBytes : kMaxRequestBodyBytes;
}

int ApiHandler::FindServed(const RequestInfo& info) const {
  if (!info.resource_request) return -1;
  for (std::size_t i = 0; i < options_.resources.size(); ++i) {
    const ResourceInfo& resource = options_.resources[i];
    if (resource.plural == info.resource && resource.group == info.group &&
        resource.version == info.version) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::string ApiHandler::AuditIdOf(const http::Request& request) {
  const std::string_view given = request.headers.Get("Audit-ID");
  if (!given.empty() && given.size() <= kMaxAuditId) return std::string(given);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = audit_prefix_;
  const std::uint64_t count = audit_count_.fetch_add(1, std::memory_order_relaxed);
  for (int shift = 44; shift >= 0; shift -= 4) id.push_back(kDigits[(count >> shift) & 15]);
  return id;
}

void ApiHandler::Handle(http::Request request, http::Responder respond) {
  auto passage = std::make_shared<Passage>(*this);
  passage->respond = std::move(respond);
  passage->started = clock_.SteadyNow();
  passage->audit_id = AuditIdOf(request);
  passage->info = std::make_shared<const RequestInfo>(ParseRequestInfo(request));
  passage->resource_index = FindServed(*passage->info);
  passage->remote_address = request.remote_address;
  passage->dry_run = request.query.Has("dryRun");
  passage->accepts_gzip = http::AcceptsGzip(request.headers.Get("Accept-Encoding"));

  const Result<UserPointer> user = authenticator_.Authenticate(request);
  if (!user.ok()) return Finish(passage.get(), ErrorResponse(Unauthorized()));
  passage->user = *user;
  Status status = CheckRequest(request, *passage->info);
  if (status.ok()) status = Admit(passage.get(), **user);
  if (!status.ok()) return Finish(passage.get(), ErrorResponse(status));

  ApiContext context;
  context.request = std::move(request);
  context.info = passage->info;
  context.user = passage->user;
  context.respond = [passage](http::Response response) {
    passage->owner.Finish(passage.get(), std::move(response));
  };
  const Attributes attributes = AttributesOf(*passage->info, *passage->user);
  auto waiting = std::make_shared<ApiContext>(std::move(context));
  authorizer_.Authorize(
      attributes, [this, waiting, index = passage->resource_index](const Decision& decision) {
        if (decision.allowed) return Dispatch(std::move(*waiting), index);
        // Whoever showed no credential is asked for one first.
        const bool anonymous = waiting->user->name == kAnonymousUser;
        waiting->respond(ErrorResponse(
            anonymous
                ? Unauthorized()
                : ForbiddenStatus(AttributesOf(*waiting->info, *waiting->user), decision.reason)));
      });
}

Status ApiHandler::Admit(Passage* passage, const UserInfo& user) {
  const bool mutating = IsMutating(*passage->info);
  std::atomic<int>& in_flight = mutating ? mutating_in_flight_ : read_only_in_flight_;
  const int limit = mutating ? kMaxMutatingInFlight : kMaxReadOnlyInFlight;
  const bool exempt = user.InGroup(kMastersGroup) || !passage->info->resource_request;
  if (in_flight.fetch_add(1) >= limit && !exempt) {
    in_flight.fetch_sub(1);
    return Status(Reason::kTooManyRequests, "Too many requests, please try again later.")
        .WithRetryAfter(1);
  }
  passage->in_flight = &in_flight;
  metrics_.AddInFlight(mutating, 1);
  return Status::Ok();
}

void ApiHandler::Leave(Passage* passage) {
  std::atomic<int>* in_flight = std::exchange(passage->in_flight, nullptr);
  if (in_flight == nullptr) return;
  in_flight->fetch_sub(1);
  metrics_.AddInFlight(in_flight == &mutating_in_flight_, -1);
}

void ApiHandler::Finish(Passage* passage, http::Response response) {
  Leave(passage);
  const RequestInfo& info = *passage->info;
  const double seconds =
      std::chrono::duration<double>(clock_.SteadyNow() - passage->started).count();
  metrics_.Observe({.info = &info,
                    .resource_index = passage->resource_index,
                    .code = response.status,
                    .seconds = seconds,
                    .response_bytes = response.body.size(),
                    .dry_run = passage->dry_run});
  if (response.source != nullptr && info.verb == "watch") {
    response.source =
        std::make_unique<CountedSource>(std::move(response.source), metrics_, info.resource);
  }
  if (passage->accepts_gzip && response.body.size() > kCompressAbove) Compress(&response);
  if (IsLogged(LogLevel::kDebug)) {
    Log(LogLevel::kDebug, "request",
        {{"auditID", passage->audit_id},
         {"verb", info.verb},
         {"path", info.path},
         {"user", passage->user == nullptr ? "" : passage->user->name},
         {"sourceIP", passage->remote_address},
         {"code", response.status},
         {"latencySeconds", seconds}});
  }
  response.headers.Add("Audit-Id", std::move(passage->audit_id));
  std::exchange(passage->respond, nullptr)(std::move(response));
}

void ApiHandler::Dispatch(ApiContext context, int resource_index) const {
  if (resource_index < 0) return DispatchPath(context);
  const auto at = static_cast<std::size_t>(resource_index);
  options_.handle_resource(options_.resources[at], std::move(context));
}

void ApiHandler::DispatchPath(const ApiContext& context) const {
  const http::Request& request = context.request;
  const bool validates = request.path == options_.review_path;
  if (validates && request.method == "POST") return context.respond(options_.review(request));
  // Another method on what answers a GET is told apart from what is not there at all.
  http::Request read;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads) read.path = request.path;
  for (PathHandler* handler : options_.path_handlers) {
    std::optional<http::Response> response = handler->Serve(reads ? request : read);
    if (!response) continue;
    if (reads) return context.respond(std::move(*response));
    return context.respond(ErrorResponse(MethodNotAllowed(request)));
  }
  if (validates) return context.respond(ErrorResponse(MethodNotAllowed(request)));
  context.respond(
      ErrorResponse(Status(Reason::kNotFound, "the server could not find the requested resource")));
}

}  // namespace asyncops::apiserver
