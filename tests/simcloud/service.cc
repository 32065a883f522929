#include "tests/simcloud/service.h"

#include <utility>

#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::simcloud {
namespace {

// As long as a DNS name.
constexpr std::size_t kMaxNameBytes = 253;
constexpr std::size_t kMaxCorrelationBytes = 255;
constexpr std::string_view kAdminPrefix = "/admin/";
constexpr std::string_view kBearer = "Bearer ";

Reply NoContent() {
  Reply reply;
  reply.status = 204;
  return reply;
}

Reply Dropped() {
  Reply reply;
  reply.delivery = Delivery::kDrop;
  return reply;
}

Reply NotFoundReply(std::string_view what, std::string_view id) {
  return ErrorReply(404, "NotFound", "no " + std::string(what) + " \"" + std::string(id) + "\"");
}

Reply MethodNotAllowed(const Request& request) {
  return ErrorReply(405, "MethodNotAllowed", request.path + " does not take " + request.method);
}

Reply Full() { return ErrorReply(503, "Full", "the cloud is full: POST /admin/reset empties it"); }

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

Origin OriginOf(const Route& route, const Request& request) {
  Origin origin;
  origin.protocol = route.protocol;
  origin.correlation_id = request.Header("x-correlation-id").substr(0, kMaxCorrelationBytes);
  origin.idempotency_key = ParseIdempotencyKey(request.Header("idempotency-key")).value_or("");
  const std::string authorization = request.Header("authorization");
  if (!authorization.empty()) origin.authorization_sha256 = HexEncode(Sha256(authorization));
  return origin;
}

// Whether an item passes ?correlation= and ?name=, as far as they are given.
bool Matches(const Request& request, const Origin& origin, std::string_view name) {
  const std::string correlation = request.Query("correlation");
  const std::string wanted_name = request.Query("name");
  return (correlation.empty() || correlation == origin.correlation_id) &&
         (wanted_name.empty() || wanted_name == name);
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
  return reply;
}

Reply Service::Dispatch(const Route& route, const Request& request, const Orders& orders) {
  const bool get = request.method == "GET";
  const bool post = request.method == "POST";
  const bool remove = request.method == "DELETE";
  switch (route.target) {
    case Route::Target::kVolumes:
      if (post) return Submit(route, request, orders);
      if (get) return ListVolumes(request);
      break;
    case Route::Target::kVolume:
      if (get) return GetVolume(route);
      if (remove) return Delete(route, request, orders);
      break;
    case Route::Target::kOperations:
      if (get) return ListOperations(request);
      break;
    case Route::Target::kOperation:
      if (get) return Poll(route);
      if (remove && route.protocol == Protocol::kAcceptedLocation) return Cancel(route);
      break;
    case Route::Target::kCancel:
      if (post) return Cancel(route);
      break;
  }
  return MethodNotAllowed(request);
}

Reply Service::Submit(const Route& route, const Request& request, const Orders& orders) {
  ++counters_.submits;
  if (!behaviour_.idempotency || !request.headers.contains("idempotency-key")) {
    return Create(route, request, orders);
  }
  const std::optional<std::string> key = ParseIdempotencyKey(request.Header("idempotency-key"));
  if (!key) {
    return ErrorReply(400, "InvalidRequest", "Idempotency-Key: must be of 1 to 255 bytes");
  }
  const std::string fingerprint = Sha256(request.path + "\n" + request.body);
  const SteadyTime now = clock_.SteadyNow();
  if (std::optional<Reply> known = keys_.Find(*key, fingerprint, now)) {
    if (known->status < 300) ++counters_.replays;
    return *std::move(known);
  }
  Reply reply = Create(route, request, orders);
  if (reply.status < 300) keys_.Remember(*key, fingerprint, reply, now + orders.delay);
  return reply;
}

Reply Service::Create(const Route& route, const Request& request, const Orders& orders) {
  const Result<VolumeSpec> spec = SpecOf(request.body);
  if (!spec) return ErrorReply(400, "InvalidRequest", spec.status().message());
  const Operation* operation =
      cloud_.Create(*spec, OriginOf(route, request), CourseOf(route.protocol, orders));
  return operation == nullptr ? Full() : Started(route.protocol, operation->id);
}

Reply Service::Delete(const Route& route, const Request& request, const Orders& orders) {
  if (cloud_.FindVolume(route.id) == nullptr) return NotFoundReply("volume", route.id);
  const Operation* operation =
      cloud_.Delete(route.id, OriginOf(route, request), CourseOf(route.protocol, orders));
  return operation == nullptr ? Full() : Started(route.protocol, operation->id);
}

Reply Service::Started(Protocol protocol, const std::string& operation_id) {
  // Looked up again, so that an operation without duration has ended.
  return StartedReply(protocol, ViewOf(*cloud_.FindOperation(operation_id)));
}

Reply Service::Poll(const Route& route) {
  ++counters_.polls;
  const Operation* operation = cloud_.FindOperation(route.id);
  if (operation == nullptr) return NotFoundReply("operation", route.id);
  cloud_.CountPoll(route.id);
  return OperationReply(route.protocol, ViewOf(*operation));
}

Reply Service::Cancel(const Route& route) {
  if (!cloud_.Cancel(route.id)) return NotFoundReply("operation", route.id);
  return CanceledReply(route.protocol, ViewOf(*cloud_.FindOperation(route.id)));
}

Reply Service::GetVolume(const Route& route) {
  const Volume* volume = cloud_.FindVolume(route.id);
  if (volume == nullptr) return NotFoundReply("volume", route.id);
  return JsonReply(200, VolumeJson(*volume));
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

OperationView Service::ViewOf(const Operation& operation) {
  const Volume& volume = *cloud_.FindAnyVolume(operation.volume_id);
  OperationView view{operation, volume, std::nullopt, behaviour_.retry_after};
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
