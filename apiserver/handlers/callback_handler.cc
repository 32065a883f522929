#include "apiserver/handlers/callback_handler.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/json.h"

namespace asyncops::apiserver {
namespace {

using callbacks::Answer;

constexpr std::string_view kMethods = "OPTIONS, POST";
constexpr int kRetryAfterSeconds = 10;
constexpr std::size_t kMaxOrigin = 256;

http::Response Tell(int status, std::string_view message) {
  http::Response response;
  response.status = status;
  response.headers.Add("Content-Type", "application/json");
  response.headers.Add("Cache-Control", "no-store");
  response.body = EncodeJson(Json::Of({{"message", message}})) + "\n";
  return response;
}

http::Response RetryLater(int status, std::chrono::seconds wait, std::string_view message) {
  http::Response response = Tell(status, message);
  response.headers.Add("Retry-After", std::to_string(std::max<std::int64_t>(wait.count(), 1)));
  return response;
}

http::Response Unavailable(std::string_view message) {
  return RetryLater(503, std::chrono::seconds(kRetryAfterSeconds), message);
}

bool IsOrigin(std::string_view text) {
  if (text.empty() || text.size() > kMaxOrigin) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsAlphanumeric(c) || std::string_view(".-:/_*").find(c) != std::string_view::npos;
  });
}

// CloudEvents' "HTTP 1.1 Web Hooks for Event Delivery", 4: consent to be called.
http::Response Handshake(const http::Request& request) {
  const std::string_view origin = request.headers.Get("WebHook-Request-Origin");
  http::Response response = Tell(200, "send events with POST");
  response.headers.Add("Allow", std::string(kMethods));
  if (!IsOrigin(origin)) return response;
  response.headers.Add("WebHook-Allowed-Origin", std::string(origin));
  response.headers.Add("WebHook-Allowed-Rate", "*");
  return response;
}

}  // namespace

CallbackHandler::CallbackHandler(std::function<callbacks::Receiver*()> receiver, const Clock& clock)
    : receiver_(std::move(receiver)), clock_(clock) {}

http::Response CallbackHandler::Refuse(int status, const std::string& remote_address,
                                       std::string_view why) {
  const SteadyTime now = clock_.SteadyNow();
  const std::optional<Duration> blocked = limiter_.Blocked(remote_address, now);
  if (!blocked) {
    limiter_.CountRefusal(remote_address, now);
    return Tell(status, why);
  }
  if (callbacks::Receiver* receiver = receiver_()) receiver->CountTurnedAway("throttled");
  return RetryLater(429, std::chrono::ceil<std::chrono::seconds>(*blocked),
                    "too many callbacks from this address were refused");
}

void CallbackHandler::Handle(http::Request request, http::Responder respond) {
  callbacks::Receiver* receiver = receiver_();
  if (receiver == nullptr) return respond(Unavailable("the server is starting or stopping"));
  std::optional<callbacks::LinkPath> path = callbacks::ParseLinkPath(request.path);
  if (!path) {
    receiver->CountTurnedAway("unknown");
    return respond(Refuse(404, request.remote_address, "no such URL"));
  }
  if (request.method == "OPTIONS") return respond(Handshake(request));
  if (request.method != "POST") {
    http::Response response = Tell(405, "send events with POST");
    response.headers.Add("Allow", std::string(kMethods));
    return respond(std::move(response));
  }
  Deliver(*std::move(path), std::move(request), std::move(respond));
}

void CallbackHandler::Deliver(callbacks::LinkPath path, http::Request request,
                              http::Responder respond) {
  callbacks::Receiver* receiver = receiver_();
  if (receiver == nullptr) return respond(Unavailable("the server is stopping"));
  callbacks::Delivery delivery{
      .path = std::move(path),
      .message = {.headers = request.headers.all(), .body = std::move(request.body)}};
  const auto answer = [this, remote = request.remote_address, respond = std::move(respond)](
                          Answer given) { respond(ResponseTo(given, remote)); };
  receiver->Receive(std::move(delivery), answer);
}

http::Response CallbackHandler::ResponseTo(Answer answer, const std::string& remote_address) {
  switch (answer) {
    case Answer::kStored: return Tell(202, "stored");
    case Answer::kDuplicate: return Tell(200, "known already");
    case Answer::kMalformed: return Tell(400, "the event cannot be read");
    case Answer::kRefused: return Refuse(401, remote_address, "the signature is not valid");
    case Answer::kUnknown: return Refuse(404, remote_address, "no such URL");
    case Answer::kFinished: return Tell(410, "the operation is over");
    case Answer::kFull: return Unavailable("too many callbacks wait");
    case Answer::kUnavailable: break;
  }
  return Unavailable("it cannot be stored now");
}

}  // namespace asyncops::apiserver
