#include "tests/simcloud/service.h"

#include <algorithm>
#include <utility>

#include "base/crypto.h"
#include "base/encoding.h"
#include "tests/simcloud/faces.h"

namespace asyncops::simcloud {

Reply NoContent() {
  Reply reply;
  reply.status = 204;
  return reply;
}

Reply NotFoundReply(std::string_view what, std::string_view id) {
  return ErrorReply(404, "NotFound", "no " + std::string(what) + " \"" + std::string(id) + "\"");
}

Reply MethodNotAllowed(const Request& request) {
  return ErrorReply(405, "MethodNotAllowed", request.path + " does not take " + request.method);
}

Reply Full() { return ErrorReply(503, "Full", "the cloud is full: POST /admin/reset empties it"); }

namespace {

// As long as a DNS name.
constexpr std::size_t kMaxNameBytes = 253;
constexpr std::size_t kMaxCorrelationBytes = 255;
constexpr std::string_view kAdminPrefix = "/admin/";
constexpr std::string_view kBearer = "Bearer ";

Reply Dropped() {
  Reply reply;
  reply.delivery = Delivery::kDrop;
  return reply;
}

Result<VolumeSpec> SpecOf(std::string_view body) {
  const Result<Json> json = ParseJson(body);
  if (!json) return json.status();
  if (!json->is_object()) return BadRequest("the body must be an object");
  VolumeSpec spec;
  spec.name = json->StringAt({"name"});
  if (spec.name.empty() || spec.name.size() > kMaxNameBytes) {
    return BadRequest("name: must be a string of 1 to 253 bytes");
  }
  if (const Json* size = json->Find("size")) {
    if (!size->is_string() && !size->is_int()) {
      return BadRequest("size: must be a string or an integer");
    }
    spec.size = *size;
  }
  if (const Json* labels = json->Find("labels")) {
    if (!labels->is_object()) return BadRequest("labels: must be an object");
    spec.labels = *labels;
  }
  return spec;
}

// The key of a call that starts something, in the place where its face takes one; "" for none.
std::string KeyTextOf(const Route& route, const Request& request) {
  switch (route.protocol) {
    case Protocol::kCompute: return request.Query("requestId");
    case Protocol::kOData: return request.Header("repeatability-request-id");
    case Protocol::kAws: {
      const Result<Json> body = ParseJson(request.body);
      return body ? std::string(body->StringAt({"ClientToken"})) : std::string();
    }
    // What PUT makes is named by its path, and what is described takes no keys.
    case Protocol::kAzure:
    case Protocol::kDescribe: return "";
    default: return request.Header("idempotency-key");
  }
}

std::string CorrelationOf(const Route& route, const Request& request) {
  if (route.protocol == Protocol::kAzure) return request.Header("x-ms-correlation-request-id");
  if (route.protocol != Protocol::kDescribe) return request.Header("x-correlation-id");
  const Result<Json> body = ParseJson(request.body);
  return body ? std::string(body->StringAt({"metadata", "correlation"})) : std::string();
}

// In the words of the face.
Reply KeyRefusal(Protocol protocol, Reply refusal) {
  if (protocol != Protocol::kAws) return refusal;
  if (refusal.status == 422)
    return AwsErrorReply(409, "ClientTokenConflictException",
                         "the client token was used for another request");
  return AwsErrorReply(409, "ConcurrentOperationException", "the first request is not answered");
}

}  // namespace

Origin OriginOf(const Route& route, const Request& request) {
  Origin origin;
  origin.protocol = route.protocol;
  origin.correlation_id = CorrelationOf(route, request).substr(0, kMaxCorrelationBytes);
  origin.idempotency_key = ParseIdempotencyKey(KeyTextOf(route, request)).value_or("");
  const std::string authorization = request.Header("authorization");
  if (!authorization.empty()) origin.authorization_sha256 = HexEncode(Sha256(authorization));
  return origin;
}

namespace {

// Whether an item passes ?correlation= and ?name=, as far as they are given.
bool Matches(const Request& request, const Origin& origin, std::string_view name) {
  const std::string correlation = request.Query("correlation");
  const std::string wanted_name = request.Query("name");
  return (correlation.empty() || correlation == origin.correlation_id) &&
         (wanted_name.empty() || wanted_name == name);
}

// What asks the same again.
std::string QuestionOf(const Request& request) {
  return request.method + " " + request.path + "\n" + request.body;
}

bool MayRepeat(const Behaviour& behaviour) {
  return std::any_of(behaviour.rules.begin(), behaviour.rules.end(), [](const Rule& rule) {
    return rule.action.kind == Action::Kind::kRepeatFirst ||
           rule.action.kind == Action::Kind::kRepeatLast;
  });
}

// The body (ASCII) in another charset than it is said to be in.
Reply InUtf16(Reply reply) {
  std::string wide;
  for (const char c : reply.body) wide += std::string{c, '\0'};
  reply.body = std::move(wide);
  return reply;
}

Reply StatusReply(const Action& action) {
  Reply reply;
  reply.status = action.status;
  if (!action.retry_after.empty()) reply.headers.emplace_back("Retry-After", action.retry_after);
  if (!action.body.is_null()) reply.body = EncodeJson(action.body);
  return reply;
}

}  // namespace

Service::Service(const Clock& clock, IdGenerator& ids, const Behaviour& initial)
    : clock_(clock), initial_(initial), cloud_(clock, ids), behaviour_(initial) {}

Reply Service::Handle(const Request& request) {
  const MutexLock lock(mutex_);
  if (request.path.starts_with(kAdminPrefix)) return Admin(request);
  ++counters_.requests;
  const std::optional<Action> action = TakeAction(&behaviour_, request.method, request.path);
  return action ? Apply(*action, request) : Work(request, Orders{});
}

Reply Service::Perform(const Request& request) {
  const MutexLock lock(mutex_);
  return Work(request, Orders{});
}

Reply Service::Apply(const Action& action, const Request& request) {
  switch (action.kind) {
    case Action::Kind::kDelay: {
      ++counters_.delayed;
      return Work(request, {std::nullopt, action.delay});
    }
    case Action::Kind::kDelayWork: {
      ++counters_.delayed;
      Reply reply;
      reply.delay = action.delay;
      reply.deferred = true;
      return reply;
    }
    case Action::Kind::kDropAfterWork: {
      ++counters_.dropped;
      Work(request, Orders{});
      return Dropped();
    }
    case Action::Kind::kDropBeforeWork: ++counters_.dropped; return Dropped();
    case Action::Kind::kStatus: {
      if (action.after_work) Work(request, Orders{});
      return StatusReply(action);
    }
    case Action::Kind::kGarbage: {
      Work(request, Orders{});
      Reply reply;
      reply.body = "<html>\x01\xff this is not JSON {";
      return reply;
    }
    case Action::Kind::kTruncate: {
      Reply reply = Work(request, Orders{});
      reply.delivery = Delivery::kTruncate;
      return reply;
    }
    case Action::Kind::kSlowBody: {
      Reply reply = Work(request, Orders{});
      reply.delivery = Delivery::kSlow;
      reply.pause = action.delay;
      return reply;
    }
    case Action::Kind::kEndlessBody: {
      Reply reply = Work(request, Orders{});
      reply.delivery = Delivery::kEndless;
      return reply;
    }
    case Action::Kind::kContentType: {
      Reply reply = Work(request, Orders{});
      reply.content_type = action.content_type;
      return reply;
    }
    case Action::Kind::kUtf16: return InUtf16(Work(request, Orders{}));
    case Action::Kind::kRepeatFirst: return Repeat(request, true);
    case Action::Kind::kRepeatLast: return Repeat(request, false);
    case Action::Kind::kFailOperation: break;
  }
  return Work(request, {action.failure, Duration{0}});
}

Reply Service::Work(const Request& request, const Orders& orders) {
  if (!Authorized(request)) {
    ++counters_.unauthorized;
    Reply reply = ErrorReply(401, "Unauthenticated", "a valid bearer token is required");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
  }
  const std::optional<Route> route = ParseRoute(request.path);
  if (!route) return NotFoundReply("path", request.path);
  Reply reply = Dispatch(*route, request, orders);
  reply.delay = orders.delay;
  if (request.method != "DELETE" && MayRepeat(behaviour_)) {
    const auto [at, is_new] = answers_.try_emplace(QuestionOf(request), Answers{reply, reply});
    if (!is_new) at->second.last = reply;
  }
  return reply;
}

Reply Service::Repeat(const Request& request, bool first) {
  const auto found = answers_.find(QuestionOf(request));
  if (found == answers_.end()) return Work(request, Orders{});
  return first ? found->second.first : found->second.last;
}

Reply Service::Dispatch(const Route& route, const Request& request, const Orders& orders) {
  const bool get = request.method == "GET";
  const bool post = request.method == "POST";
  const bool remove = request.method == "DELETE";
  if (route.protocol == Protocol::kAws) return AwsCall(route, request, orders);
  if (route.protocol == Protocol::kAzure) return DispatchAzure(route, request, orders);
  switch (route.target) {
    case Route::Target::kVolumes:
      if (post) return Submit(route, request, orders);
      if (get) return ListVolumes(request);
      break;
    case Route::Target::kVolume:
      if (get) return GetVolume(route, request);
      if (remove) return Delete(route, request, orders);
      if (request.method == "PATCH") return Submit(route, request, orders);
      break;
    case Route::Target::kOperations:
      if (get) return ListOperations(request);
      break;
    case Route::Target::kOperation:
      if (get) return Poll(route, request);
      if (remove &&
          (route.protocol == Protocol::kAcceptedLocation || route.protocol == Protocol::kOData))
        return Cancel(route, request);
      break;
    case Route::Target::kCancel:
      if (post) return Cancel(route, request);
      break;
    case Route::Target::kResult:
    case Route::Target::kCall: break;
  }
  return MethodNotAllowed(request);
}

Reply Service::Submit(const Route& route, const Request& request, const Orders& orders) {
  ++counters_.submits;
  const std::string text = KeyTextOf(route, request);
  const bool given = !text.empty() || (route.protocol == Protocol::kAcceptedLocation &&
                                       request.headers.contains("idempotency-key"));
  if (!behaviour_.idempotency || !given) return Start(route, request, orders);
  const std::optional<std::string> key = ParseIdempotencyKey(text);
  if (!key) {
    return ErrorReply(400, "InvalidRequest", "Idempotency-Key: must be of 1 to 255 bytes");
  }
  const std::string fingerprint = Sha256(request.path + "\n" + request.body);
  const SteadyTime now = clock_.SteadyNow();
  if (std::optional<Reply> known = keys_.Find(*key, fingerprint, now)) {
    if (known->status >= 300) return KeyRefusal(route.protocol, *std::move(known));
    ++counters_.replays;
    return *std::move(known);
  }
  Reply reply = Start(route, request, orders);
  if (reply.status < 300)
    keys_.Remember(*key, fingerprint, reply, now + orders.delay, now + behaviour_.key_ttl);
  return reply;
}

Reply Service::Start(const Route& route, const Request& request, const Orders& orders) {
  if (route.protocol == Protocol::kAws) return AwsStart(route, request, orders);
  return request.method == "PATCH" ? Update(route, request, orders)
                                   : Create(route, request, orders);
}

Reply Service::Create(const Route& route, const Request& request, const Orders& orders) {
  const Result<VolumeSpec> spec = SpecOf(request.body);
  if (!spec) return ErrorReply(400, "InvalidRequest", spec.status().message());
  const Operation* operation =
      cloud_.Create(*spec, OriginOf(route, request), CourseOf(route.protocol, orders));
  return operation == nullptr ? Full() : Started(route, request, operation->id);
}

Reply Service::Update(const Route& route, const Request& request, const Orders& orders) {
  const Volume* volume = cloud_.FindVolume(route.id);
  if (volume == nullptr) return NotFoundReply("volume", route.id);
  const Result<Json> body = ParseJson(request.body);
  const Json* size = body ? body->Find("size") : nullptr;
  if (size == nullptr || (!size->is_string() && !size->is_int()))
    return ErrorReply(400, "InvalidRequest", "size: must be a string or an integer");
  if (volume->status != VolumeStatus::kAvailable)
    return ErrorReply(409, "Conflict", "the volume is " + std::string(StatusName(volume->status)));
  const Operation* operation =
      cloud_.Update(route.id, *size, OriginOf(route, request), CourseOf(route.protocol, orders));
  return operation == nullptr ? Full() : Started(route, request, operation->id);
}

Reply Service::Delete(const Route& route, const Request& request, const Orders& orders) {
  if (cloud_.FindVolume(route.id) == nullptr) return NotFoundReply("volume", route.id);
  const Operation* operation =
      cloud_.Delete(route.id, OriginOf(route, request), CourseOf(route.protocol, orders));
  return operation == nullptr ? Full() : Started(route, request, operation->id);
}

Reply Service::Started(const Route& route, const Request& request,
                       const std::string& operation_id) {
  // Looked up again, so that an operation without duration has ended.
  return StartedReply(route.protocol, ViewOf(*cloud_.FindOperation(operation_id), route, request));
}

Reply Service::Poll(const Route& route, const Request& request) {
  ++counters_.polls;
  const Operation* operation = cloud_.FindOperation(route.id);
  // Under OData a monitor that was cancelled is gone.
  const bool gone = operation == nullptr || (route.protocol == Protocol::kOData &&
                                             operation->status == OperationStatus::kCanceled);
  if (gone) return NotFoundReply("operation", route.id);
  cloud_.CountPoll(route.id);
  return OperationReply(route.protocol, ViewOf(*operation, route, request));
}

Reply Service::Cancel(const Route& route, const Request& request) {
  if (!cloud_.Cancel(route.id)) return NotFoundReply("operation", route.id);
  return CanceledReply(route.protocol, ViewOf(*cloud_.FindOperation(route.id), route, request));
}

Reply Service::GetVolume(const Route& route, const Request& request) {
  const bool describes = route.protocol == Protocol::kDescribe;
  const Volume* volume = describes ? cloud_.FindAnyVolume(route.id) : cloud_.FindVolume(route.id);
  if (volume == nullptr || volume->status == VolumeStatus::kDeleted)
    return NotFoundReply("volume", route.id);
  if (!describes) return JsonReply(200, VolumeJson(*volume));
  ++counters_.polls;
  const Operation& newest = *cloud_.FindOperation(volume->operation_id);
  return JsonReply(200, DescribedJson(*volume, ViewOf(newest, route, request)));
}

Reply Service::ListVolumes(const Request& request) {
  ++counters_.lookups;
  JsonArray items;
  for (const Volume& volume : cloud_.AllVolumes()) {
    if (!Exists(volume.status) || !Matches(request, volume.origin, volume.spec.name)) continue;
    items.push_back(VolumeJson(volume));
  }
  return JsonReply(200, Json::Of({{"items", std::move(items)}}));
}

Reply Service::ListOperations(const Request& request) {
  ++counters_.lookups;
  JsonArray items;
  for (const Operation& operation : cloud_.AllOperations()) {
    const Volume& volume = *cloud_.FindAnyVolume(operation.volume_id);
    if (!Matches(request, operation.origin, volume.spec.name)) continue;
    items.push_back(OperationSummaryJson(operation, volume));
  }
  return JsonReply(200, Json::Of({{"items", std::move(items)}}));
}

OperationView Service::ViewOf(const Operation& operation, const Route& route,
                              const Request& request) {
  const Volume& volume = *cloud_.FindAnyVolume(operation.volume_id);
  OperationView view{operation, volume, std::nullopt, behaviour_.retry_after};
  view.now = clock_.Now();
  view.base_url = request.BaseUrl();
  view.via = request.Query("via");
  view.responds_async = request.Header("prefer").find("respond-async") != std::string::npos;
  view.embeds =
      route.embeds || request.Header("accept").find("application/http") != std::string::npos;
  if (behaviour_.progress) view.progress = cloud_.Progress(operation);
  return view;
}

Course Service::CourseOf(Protocol protocol, const Orders& orders) const {
  const bool at_once = protocol == Protocol::kSync;
  return {at_once ? Duration{0} : behaviour_.operation_duration, orders.failure};
}

bool Service::Authorized(const Request& request) const {
  if (behaviour_.token == Behaviour::Token::kNotAsked) return true;
  const std::string authorization = request.Header("authorization");
  if (!authorization.starts_with(kBearer) || authorization.size() == kBearer.size()) return false;
  if (behaviour_.token == Behaviour::Token::kAny) return true;
  const std::string digest = Sha256(std::string_view(authorization).substr(kBearer.size()));
  return ConstantTimeEquals(digest, behaviour_.token_sha256);
}

Reply Service::Admin(const Request& request) {
  const std::string_view what = std::string_view(request.path).substr(kAdminPrefix.size());
  const bool get = request.method == "GET";
  if (what == "stats" && get) return JsonReply(200, StatsJson(&cloud_, counters_));
  if (what == "volumes" && get) return JsonReply(200, AllVolumesJson(&cloud_));
  if (what == "operations" && get) return JsonReply(200, AllOperationsJson(&cloud_));
  if (what == "behaviour" && get) return JsonReply(200, BehaviourJson(behaviour_));
  if (what == "behaviour" && request.method == "PUT") return PutBehaviour(request);
  if (what == "reset" && request.method == "POST") {
    cloud_.Reset();
    keys_.Clear();
    counters_ = Counters{};
    answers_.clear();
    behaviour_ = initial_;
    return NoContent();
  }
  for (const std::string_view known : {"stats", "volumes", "operations", "behaviour", "reset"}) {
    if (what == known) return MethodNotAllowed(request);
  }
  return NotFoundReply("path", request.path);
}

Reply Service::PutBehaviour(const Request& request) {
  const Result<Json> patch = ParseJson(request.body);
  if (!patch) return ErrorReply(400, "InvalidRequest", patch.status().message());
  Result<Behaviour> merged = MergeBehaviour(behaviour_, *patch);
  if (!merged) return ErrorReply(400, "InvalidRequest", merged.status().message());
  behaviour_ = *std::move(merged);
  return JsonReply(200, BehaviourJson(behaviour_));
}

}  // namespace asyncops::simcloud
