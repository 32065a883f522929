#include "tests/sim/sim_cloud.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/ascii.h"
#include "base/crypto.h"

namespace asyncops::sim {
namespace {

using kube::OutboundRequest;
using kube::OutboundResponse;

constexpr std::string_view kBase = "/v1/";
constexpr std::string_view kVolumes = "volumes";

// The path behind the base, without a query.
std::string PathOf(const OutboundRequest& request) {
  const std::string path = request.uri.target.substr(0, request.uri.target.find('?'));
  return path.starts_with(kBase) ? path.substr(kBase.size()) : path;
}

// What stands behind the first "=".
std::string ValueOf(const OutboundRequest& request) {
  return request.uri.target.substr(request.uri.target.find('=') + 1);
}

std::string UidOf(const std::string& correlation) {
  return correlation.substr(0, correlation.rfind('-'));
}

// A property of the text and nothing else: the same intent is refused each time.
bool Falls(const std::string& text, int per_mille) {
  return static_cast<int>(StableHash("fate/" + text) % 1000) < per_mille;
}

OutboundResponse NotFoundResponse() { return ErrorResponse(404, "NotFound", "there is none"); }

}  // namespace

std::string IdPrefix(Face face) { return face == Face::kGoogleLro ? "operations/" : ""; }

std::string Credential(int number) {
  return std::string(kToken) + (number == 0 ? "" : "-" + std::to_string(number));
}

std::string HookSecret(int number) { return "hook " + Credential(number); }

std::string HeaderText(const OutboundRequest& request, std::string_view name) {
  for (const auto& [header, value] : request.headers) {
    if (LowerCase(header) == name) return value;
  }
  return "";
}

OutboundResponse JsonResponse(int status, const Json& body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .body = EncodeJson(body)};
}

OutboundResponse ErrorResponse(int status, std::string_view code, std::string_view message) {
  return JsonResponse(
      status, Json::Of({{"error", Json::Of({{"code", Json(code)}, {"message", Json(message)}})}}));
}

bool SimCloud::IsIdempotent(const OutboundRequest& request) const {
  if (request.method != "POST" || PathOf(request) != kVolumes) return true;
  return personality_.honours_key && !HeaderText(request, "idempotency-key").empty();
}

const std::vector<Thing>& SimCloud::things() {
  Settle();
  return things_;
}

void SimCloud::Settle() {
  for (Operation& operation : operations_) {
    if (!operation.over && operation.ends <= clock_.SteadyNow()) End(&operation);
  }
}

void SimCloud::End(Operation* operation) {
  operation->over = true;
  Thing& thing = things_[operation->thing];
  const bool fails = operation->fails || operation->canceled;
  if (operation->kind == Kind::kCreate) thing.undone = fails;
  if (operation->kind == Kind::kDelete) thing.deleted = !fails;
  if (operation->kind == Kind::kUpdate && !fails) ++thing.updates;
}

SimCloud::Operation* SimCloud::FindOperation(std::string_view id) {
  const auto found = std::find_if(operations_.begin(), operations_.end(),
                                  [id](const Operation& each) { return each.id == id; });
  return found == operations_.end() ? nullptr : &*found;
}

void SimCloud::SetCredential(int number) {
  credential_ = number;
  caller_.SetSecret(HookSecret(number));
  journal_.Say("the cloud asks for credential " + std::to_string(number));
}

std::optional<SimCall> SimCloud::TakeCall() {
  return caller_.Take([this](const std::string& id) {
    Settle();
    const Operation* operation =
        FindOperation(std::string_view(id).substr(IdPrefix(personality_.face).size()));
    const Result<Json> body = ParseJson(operation == nullptr ? "" : Told(*operation).body);
    return body.ok() ? *body : Json();
  });
}

OutboundResponse SimCloud::Serve(const OutboundRequest& request) {
  Settle();
  const std::string shown = HeaderText(request, "authorization");
  if (shown != "Bearer " + Credential(credential_))
    return ErrorResponse(401, "Unauthorized", "not a credential: " + shown);
  const std::string path = PathOf(request);
  const std::string_view rest = path;
  if (path == kVolumes && request.method == "POST") return Create(request);
  if (path == kVolumes) return Lookup(ValueOf(request));
  if (rest.starts_with("volumes/")) return OnVolume(request, rest.substr(8));
  for (const std::string_view prefix : {"operations/", "jobs/"}) {
    if (!rest.starts_with(prefix)) continue;
    const std::string_view id = rest.substr(prefix.size());
    const std::size_t end = id.find_first_of(":/");
    if (end != std::string_view::npos || request.method == "DELETE")
      return Cancel(id.substr(0, end));
    return Poll(id);
  }
  journal_.Problem("a request for a path that the cloud does not have: " + path);
  return NotFoundResponse();
}

OutboundResponse SimCloud::Create(const OutboundRequest& request) {
  const std::string correlation = HeaderText(request, "x-correlation-id");
  if (Falls(UidOf(correlation), personality_.refuses)) {
    // Clouds like to say what they did not like.
    return ErrorResponse(422, "QuotaExceeded",
                         "refused: Authorization " + HeaderText(request, "authorization"));
  }
  const std::string key = HeaderText(request, "idempotency-key");
  std::string operation;
  if (key.empty() || !personality_.honours_key) return MakeThing(request, &operation);
  const std::string text = request.uri.target + "\n" + request.body + "\n" + correlation;
  const auto known = keys_.find(key);
  if (known != keys_.end() && known->second.expires > clock_.SteadyNow()) {
    if (known->second.request != text) journal_.Problem("key " + key + " came with other bytes");
    if (known->second.operation.empty()) return ErrorResponse(500, "Internal", "stored");
    return Started(*FindOperation(known->second.operation));
  }
  const bool stores = Falls(key, personality_.stores_500);
  OutboundResponse response = ErrorResponse(500, "Internal", "it broke");
  if (!stores || Falls(key + "/done", 500)) response = MakeThing(request, &operation);
  if (stores) {
    operation.clear();
    response = ErrorResponse(500, "Internal", "it broke");
  }
  keys_[key] = {.request = text,
                .operation = operation,
                .expires = clock_.SteadyNow() + personality_.key_ttl};
  return response;
}

OutboundResponse SimCloud::MakeThing(const OutboundRequest& request, std::string* operation) {
  const std::string correlation = HeaderText(request, "x-correlation-id");
  const std::string uid = UidOf(correlation);
  CheckOnlyOne(uid, correlation);
  Thing thing;
  thing.id = "v" + std::to_string(things_.size() + 1);
  thing.correlation = correlation;
  thing.uid = uid;
  thing.begun = clock_.SteadyNow();
  things_.push_back(thing);
  const Operation& started = Start(Kind::kCreate, things_.size() - 1, request);
  things_.back().operation = started.id;
  *operation = started.id;
  journal_.Say("EFFECT " + things_.back().id + " for " + correlation);
  return Started(started);
}

// The heart of it all. What failed or was cancelled outside may be made again; what is there, or
// is being made, may not.
void SimCloud::CheckOnlyOne(const std::string& uid, const std::string& correlation) {
  for (const Thing& thing : things_) {
    if (thing.uid != uid || !thing.exists()) continue;
    journal_.Problem("a second effect: " + correlation + " beside " + thing.id + " of " +
                     thing.correlation);
  }
}

const SimCloud::Operation& SimCloud::Start(Kind kind, std::size_t thing,
                                           const OutboundRequest& request) {
  Operation operation;
  operation.id = "o" + std::to_string(operations_.size() + 1);
  operation.kind = kind;
  operation.thing = thing;
  operation.begun = clock_.SteadyNow();
  operation.ends = operation.begun +
                   dice_.Between(std::chrono::milliseconds(200), personality_.longest_operation);
  operation.fails = dice_.Chance(personality_.fails);
  operations_.push_back(operation);
  caller_.Begin(IdPrefix(personality_.face) + operation.id, HeaderText(request, "x-correlation-id"),
                HeaderText(request, "x-callback-url"),
                std::chrono::duration_cast<Duration>(operation.ends - operation.begun));
  return operations_.back();
}

OutboundResponse SimCloud::OnVolume(const OutboundRequest& request, std::string_view id) {
  for (std::size_t i = 0; i < things_.size(); ++i) {
    if (things_[i].id != id || !things_[i].exists()) continue;
    const Kind kind = request.method == "DELETE" ? Kind::kDelete : Kind::kUpdate;
    for (const Operation& operation : operations_) {
      const bool same = operation.thing == i && operation.kind == kind && !operation.over;
      if (same && kind == Kind::kDelete) return Started(operation);
    }
    return Started(Start(kind, i, request));
  }
  return NotFoundResponse();
}

OutboundResponse SimCloud::Poll(std::string_view id) {
  const Operation* operation = FindOperation(id);
  if (operation == nullptr) return NotFoundResponse();
  const bool young = clock_.SteadyNow() < operation->begun + personality_.poll_lag;
  if (young && dice_.Chance(500)) return NotFoundResponse();
  return Told(*operation);
}

OutboundResponse SimCloud::Cancel(std::string_view id) {
  Operation* operation = FindOperation(id);
  if (operation == nullptr) return NotFoundResponse();
  if (!operation->over) {
    operation->canceled = true;
    operation->ends = clock_.SteadyNow();
    End(operation);
  }
  return JsonResponse(200, Json::Of({}));
}

OutboundResponse SimCloud::Lookup(std::string_view correlation) {
  JsonArray items;
  for (const Thing& thing : things_) {
    if (thing.correlation != correlation || !thing.exists()) continue;
    const bool young = clock_.SteadyNow() < thing.begun + personality_.lookup_lag;
    if (young && dice_.Chance(500)) continue;
    items.push_back(
        Json::Of({{"id", thing.id}, {"operation", IdPrefix(personality_.face) + thing.operation}}));
  }
  return JsonResponse(200, Json::Of({{"items", std::move(items)}}));
}

Json SimCloud::ResultOf(const Operation& operation) const {
  if (operation.kind == Kind::kDelete) return Json::Of({});
  return Json::Of({{"id", things_[operation.thing].id}});
}

OutboundResponse SimCloud::Started(const Operation& operation) const {
  if (personality_.face == Face::kGoogleLro) return Told(operation);
  if (personality_.face == Face::kJobStatus)
    return JsonResponse(202, Json::Of({{"jobId", operation.id}, {"status", "queued"}}));
  OutboundResponse response =
      JsonResponse(202, Json::Of({{"id", operation.id}, {"status", "running"}}));
  response.headers.emplace_back("Location", "/v1/operations/" + operation.id);
  return response;
}

OutboundResponse SimCloud::Told(const Operation& operation) const {
  const bool ok = operation.over && !operation.fails && !operation.canceled;
  const std::string_view code = operation.canceled ? "Canceled" : "DiskFailed";
  const Json error = Json::Of({{"code", Json(code)}, {"message", "it went wrong"}});
  OutboundResponse response;
  if (personality_.face == Face::kGoogleLro) {
    Json body = Json::Of({{"name", "operations/" + operation.id}});
    if (operation.over) body.Set("done", true);
    if (ok) body.Set("response", ResultOf(operation));
    if (operation.over && !ok) {
      body.Set("error", Json::Of({{"code", operation.canceled ? 1 : 13}, {"message", "wrong"}}));
    }
    response = JsonResponse(200, body);
  } else if (personality_.face == Face::kJobStatus) {
    const std::string_view word = !operation.over      ? "running"
                                  : ok                 ? "succeeded"
                                  : operation.canceled ? "canceled"
                                                       : "failed";
    Json body = Json::Of({{"jobId", operation.id}, {"status", Json(word)}});
    if (ok) body.Set("result", ResultOf(operation));
    if (operation.over && !ok) body.Set("error", error);
    response = JsonResponse(200, body);
  } else if (!operation.over) {
    response = Started(operation);
  } else {
    response = ok ? JsonResponse(200, ResultOf(operation))
                  : JsonResponse(operation.canceled ? 409 : 422, Json::Of({{"error", error}}));
  }
  if (personality_.hints && !operation.over) response.headers.emplace_back("Retry-After", "3");
  return response;
}

}  // namespace asyncops::sim
