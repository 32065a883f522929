#include "apiserver/handlers/api_handler.h"

#include <optional>
#include <utility>

#include "callbacks/link.h"
#include "callbacks/message.h"

#include "apiserver/auth/impersonation.h"
#include "apiserver/handlers/audit_line.h"
#include "apiserver/handlers/compress.h"
#include "apiserver/handlers/counted_source.h"
#include "apiserver/handlers/media_type.h"
#include "apiserver/handlers/request_filters.h"
#include "apiserver/handlers/reshape.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/http/gzip.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

// Of a UUID, without its last twelve digits.
constexpr std::size_t kAuditPrefix = 24;

// Documents of their own form are left alone; so is OpenAPI, which nobody reads with the eye.
bool IsReshaped(const RequestInfo& info, const http::Response& response) {
  return response.status >= 400 || !info.path.starts_with("/openapi");
}

Status MethodNotAllowed(const http::Request& request) {
  return {Reason::kMethodNotAllowed,
          "the server does not allow " + request.method + " on " + request.path};
}

Status Unauthorized() { return {Reason::kUnauthorized, "Unauthorized"}; }

}  // namespace

// One request on its way, for the counts, the metrics and the audit line. It lives as long as
// anybody holds the responder, and counts itself out where a handler dropped that.
class ApiHandler::Passage final : public Expirable {
 public:
  explicit Passage(ApiHandler& handler) : owner(handler) {}
  ~Passage() override { owner.Leave(this); }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  void Expire() override { owner.Expire(this); }

  // How far it has come; what a step found is read by others once the step is over.
  enum class Stage { kAuthenticating, kRecognised, kAuthorizing, kDecided };

  ApiHandler& owner;
  // While somebody is asked who was given a plain pointer to this: that spares an allocation.
  PassagePointer self;
  http::Request request;  // until it is dispatched
  // Constant once the request has been taken in.
  http::Responder respond;  // called by whoever turns `answered`
  std::string audit_id;
  std::shared_ptr<const RequestInfo> info;
  std::string remote_address;
  SteadyTime started{};
  SteadyTime deadline = SteadyTime::max();
  int resource_index = -1;
  bool dry_run = false;
  bool apply = false;
  bool accepts_gzip = false;
  Form form = Form::kCompact;

  std::atomic<Stage> stage{Stage::kAuthenticating};
  UserPointer user;             // of kRecognised and later
  UserPointer acting;           // of kAuthorizing and later: the user, or whom it impersonates
  SteadyTime asked{};           // the authorizer
  std::string_view decision;    // "allow" or "forbid", of kDecided
  std::string decision_reason;  // as the authorizer words it

  std::atomic<int>* in_flight = nullptr;  // of its kind, once admitted
  std::atomic<bool> answered{false};
  std::atomic<bool> awaited{false};  // it may stand among the deadlines
};

ApiHandler::ApiHandler(ApiHandlerOptions options, const Authenticator& authenticator,
                       const Authorizer& authorizer, Metrics& metrics, const Clock& clock,
                       IdGenerator& ids)
    : options_(std::move(options)),
      authenticator_(authenticator),
      authorizer_(authorizer),
      metrics_(metrics),
      clock_(clock),
      audit_prefix_(ids.Uuid().substr(0, kAuditPrefix)),
      deadlines_(clock) {}

std::size_t ApiHandler::MaxBodyBytes(const http::Request& head) const {
  if (options_.callback && callbacks::IsLinkPath(head.path)) return callbacks::kMaxBodyBytes;
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
  // A longer one is replaced, as in kube-apiserver.
  if (!given.empty() && given.size() <= kMaxAuditIdBytes) return std::string(given);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = audit_prefix_;
  const std::uint64_t count = audit_count_.fetch_add(1, std::memory_order_relaxed);
  for (int shift = 44; shift >= 0; shift -= 4) id.push_back(kDigits[(count >> shift) & 15]);
  return id;
}

void ApiHandler::Handle(http::Request request, http::Responder respond) {
  // Its path is a secret: it stands in no line of log or audit.
  if (options_.callback && callbacks::IsLinkPath(request.path))
    return options_.callback(std::move(request), std::move(respond));
  auto passage = std::make_shared<Passage>(*this);
  passage->respond = std::move(respond);
  passage->started = clock_.SteadyNow();
  passage->audit_id = AuditIdOf(request);
  passage->info = std::make_shared<const RequestInfo>(ParseRequestInfo(request));
  passage->resource_index = FindServed(*passage->info);
  passage->remote_address = request.remote_address;
  passage->dry_run = request.query.Has("dryRun");
  passage->apply = passage->info->verb == "patch" &&
                   ParseMediaType(request.headers.Get("Content-Type")).type == kApplyPatchYaml;
  passage->accepts_gzip = http::AcceptsGzip(request.headers.Get("Accept-Encoding"));
  passage->form = FormOf(request, AnswerTo(*passage->info));
  passage->request = std::move(request);
  Enter(passage);
  Await(passage);
}

void ApiHandler::Enter(const PassagePointer& passage) {
  const auto timeout = TimeoutOf(passage->request, *passage->info);
  if (!timeout.ok()) return Finish(passage.get(), ErrorResponse(timeout.status()));
  if (*timeout) passage->deadline = passage->started + **timeout;
  if (IsGuardedReview(passage->request)) return Review(passage.get());
  passage->self = passage;
  authenticator_.Authenticate(passage->request, [raw = passage.get()](Authentication user) {
    raw->owner.OnUser(std::exchange(raw->self, nullptr), std::move(user));
  });
}

bool ApiHandler::IsGuardedReview(const http::Request& request) const {
  return options_.admit_review && request.path == options_.review_path && request.method == "POST";
}

void ApiHandler::Review(Passage* passage) {
  const Status status = options_.admit_review(passage->request);
  Finish(passage, status.ok() ? options_.review(passage->request) : ErrorResponse(status));
}

void ApiHandler::OnUser(const PassagePointer& passage, Authentication user) {
  metrics_.CountAuthentication(
      user.ok(), user.ok() && (*user)->name != kAnonymousUser,
      std::chrono::duration<double>(clock_.SteadyNow() - passage->started).count());
  if (!user.ok()) {
    const bool busy = user.status().reason() == Reason::kTooManyRequests;
    return Finish(passage.get(), ErrorResponse(busy ? user.status() : Unauthorized()));
  }
  passage->user = *std::move(user);
  passage->stage.store(Passage::Stage::kRecognised);
  // Its client has been told that nothing came of it: nothing is begun.
  if (passage->answered.load()) return;
  const http::Headers& headers = passage->request.headers;
  if (!AsksToImpersonate(headers)) return OnActingUser(passage, passage->user);
  const auto act = [this, passage](Result<UserPointer> acting) {
    if (acting.ok()) return OnActingUser(passage, *std::move(acting));
    const bool asks =
        passage->user->name == kAnonymousUser && acting.status().reason() == Reason::kForbidden;
    Finish(passage.get(), ErrorResponse(asks ? Unauthorized() : acting.status()));
  };
  Impersonate(authorizer_, passage->user, headers, act);
}

void ApiHandler::OnActingUser(const PassagePointer& passage, UserPointer acting) {
  passage->acting = std::move(acting);
  passage->stage.store(Passage::Stage::kAuthorizing);
  if (passage->answered.load()) return;
  Status status = Admit(passage.get(), *passage->acting);
  // Whoever gives no time gets nothing done.
  if (status.ok() && passage->deadline <= passage->started) status = TimedOut(*passage->info);
  if (!status.ok()) return Finish(passage.get(), ErrorResponse(status));
  Authorize(passage);
}

void ApiHandler::Authorize(const PassagePointer& passage) {
  passage->asked = clock_.SteadyNow();
  passage->self = passage;
  authorizer_.Authorize(
      AttributesOf(*passage->info, *passage->acting), [raw = passage.get()](Decision decision) {
        raw->owner.OnDecision(std::exchange(raw->self, nullptr), std::move(decision));
      });
}

void ApiHandler::OnDecision(const PassagePointer& passage, Decision decision) {
  const auto waited = clock_.SteadyNow() - passage->asked;
  metrics_.CountAuthorization(decision.allowed, std::chrono::duration<double>(waited).count());
  const UserInfo& user = *passage->acting;
  // Whoever showed no credential is asked for one first.
  Status refusal;
  if (!decision.allowed) {
    const bool anonymous = user.name == kAnonymousUser && decision.error.ok();
    refusal =
        anonymous ? Unauthorized() : RefusalStatus(AttributesOf(*passage->info, user), decision);
  }
  passage->decision = decision.allowed ? "allow" : "forbid";
  passage->decision_reason = std::move(decision.reason);
  passage->stage.store(Passage::Stage::kDecided);
  if (!refusal.ok()) return Finish(passage.get(), ErrorResponse(refusal));
  if (passage->answered.load()) return;
  ApiContext context;
  context.request = std::move(passage->request);
  context.info = passage->info;
  context.user = passage->acting;
  context.respond = [passage](http::Response response) {
    passage->owner.Finish(passage.get(), std::move(response));
  };
  Dispatch(std::move(context), passage->resource_index);
}

void ApiHandler::Await(const PassagePointer& passage) {
  // Reads are answered by now. A write that is answered between the lines is taken off again, here
  // or by Finish: each looks after it has written what the other looks at.
  if (passage->answered.load() || passage->deadline == SteadyTime::max()) return;
  passage->awaited.store(true);
  deadlines_.Add(passage->deadline, passage);
  if (passage->answered.load()) deadlines_.Remove(passage->deadline, passage.get());
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
  if (passage->answered.exchange(true)) return;
  if (passage->awaited.load()) deadlines_.Remove(passage->deadline, passage);
  const bool terminated = response.status == HttpCode(Reason::kTooManyRequests);
  Answer(passage, std::move(response), terminated);
}

void ApiHandler::Expire(Passage* passage) {
  if (passage->answered.exchange(true)) return;
  Answer(passage, ErrorResponse(TimedOut(*passage->info)), true);
}

void ApiHandler::Answer(Passage* passage, http::Response response, bool terminated) {
  const RequestInfo& info = *passage->info;
  const bool watches = info.streams;
  if (passage->form != Form::kCompact && IsReshaped(info, response))
    Reshape(passage->form, &response);
  if (passage->accepts_gzip && !watches) Compress(&response);
  Record(*passage, response, terminated);
  if (response.source != nullptr) {
    response.source = std::make_unique<CountedSource>(
        std::move(response.source), metrics_.StreamOf(info, passage->resource_index), watches);
  }
  response.headers.Add("Audit-Id", std::move(passage->audit_id));
  std::exchange(passage->respond, nullptr)(std::move(response));
}

void ApiHandler::Record(const Passage& passage, const http::Response& response, bool terminated) {
  const RequestInfo& info = *passage.info;
  const Passage::Stage stage = passage.stage.load();
  const UserInfo* user = stage == Passage::Stage::kAuthenticating ? nullptr : passage.user.get();
  const bool acts = stage >= Passage::Stage::kAuthorizing && passage.acting != passage.user;
  const bool decided = stage == Passage::Stage::kDecided;
  const auto latency = clock_.SteadyNow() - passage.started;
  const double seconds = std::chrono::duration<double>(latency).count();
  metrics_.Observe({.info = &info,
                    .resource_index = passage.resource_index,
                    .code = response.status,
                    .seconds = seconds,
                    .response_bytes = response.body.size(),
                    .dry_run = passage.dry_run,
                    .apply = passage.apply,
                    .terminated = terminated});
  if (options_.audit) {
    const auto took = std::chrono::duration_cast<Duration>(latency);
    options_.audit(AuditLine({.audit_id = passage.audit_id,
                              .stream = info.streams,
                              .received = clock_.Now() - took,
                              .info = &info,
                              .user = user,
                              .impersonated = acts ? passage.acting.get() : nullptr,
                              .remote_address = passage.remote_address,
                              .decision = decided ? passage.decision : std::string_view(),
                              .reason = decided ? passage.decision_reason : std::string_view(),
                              .code = response.status,
                              .latency = took}));
    metrics_.CountAuditEvent();
  }
  if (!IsLogged(LogLevel::kDebug)) return;
  Log(LogLevel::kDebug, "request",
      {{"auditID", passage.audit_id},
       {"verb", info.verb},
       {"path", info.path},
       {"user", user == nullptr ? "" : user->name},
       {"sourceIP", passage.remote_address},
       {"code", response.status},
       {"latencySeconds", seconds}});
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
