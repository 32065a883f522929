#include "tests/sim/sim_caller.h"

#include <chrono>
#include <utility>

#include "base/crypto.h"
#include "base/encoding.h"
#include "base/uri.h"

namespace asyncops::sim {
namespace {

using callbacks::Answer;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Senders give up.
constexpr int kMaxTries = 6;
constexpr std::string_view kSystemPath = "/callbacks/team/systems/cloud";

// Somebody else's guess at the token that ends this path.
std::string Forge(std::string path) {
  char& last = path[path.rfind('/') + 1];
  last = last == 'A' ? 'B' : 'A';
  return path;
}

}  // namespace

void SimCaller::Add(Duration after, SimCall call) {
  calls_.emplace(clock_.SteadyNow() + after, std::move(call));
}

void SimCaller::Begin(const std::string& operation, const std::string& correlation,
                      const std::string& url, Duration lasts) {
  if (!calling_.asked || (url.empty() && !calling_.at_system)) return;
  if (!url.empty()) tokens_.insert(url.substr(url.rfind('/') + 1));
  SimCall call;
  call.operation = operation;
  call.correlation = correlation;
  call.url = url;
  if (dice_.Chance(calling_.early)) Add(Duration(0), call);
  if (!dice_.Chance(calling_.silent)) Add(lasts + dice_.Between(milliseconds(1), seconds(3)), call);
  if (dice_.Chance(calling_.late)) Add(lasts + dice_.Between(minutes(1), minutes(40)), call);
  if (!dice_.Chance(calling_.forged)) return;
  call.forged = true;
  Add(dice_.Between(milliseconds(0), minutes(1)), call);
}

std::optional<SteadyTime> SimCaller::next() const {
  return calls_.empty() ? std::nullopt : std::optional<SteadyTime>(calls_.begin()->first);
}

bool SimCaller::HasNamed(const std::string& correlation) const {
  const auto named = named_.find(correlation);
  return named != named_.end() && named->second < clock_.SteadyNow();
}

void SimCaller::Sign(const std::string& secret, callbacks::Message* message) const {
  if (calling_.is_signed) {
    message->headers.emplace_back("X-Hub-Signature-256",
                                  "sha256=" + HexEncode(HmacSha256(secret, message->body)));
  } else if (calling_.at_system) {
    message->headers.emplace_back("Authorization", "Bearer " + secret);
  }
}

callbacks::Delivery SimCaller::Make(const SimCall& call, const Json& known) {
  Json event = known.is_object() ? known : Json::Of({});
  if (calling_.names_id || calling_.at_system) event.Set("operation", Json(call.operation));
  event.Set("call", ++made_);
  // Some like to show whom they call.
  if (dice_.Chance(300)) event.Set("to", Json(call.url));
  const std::optional<Uri> url = ParseUri(call.url);
  std::string path = url ? url->target : std::string(kSystemPath);
  // Where nobody signs, and the URL is the secret, only that can be guessed at.
  const bool guesses = call.forged && url && (!calling_.is_signed || dice_.Chance(500));
  if (guesses) path = Forge(path);
  callbacks::Delivery delivery;
  delivery.path = callbacks::ParseLinkPath(path).value_or(callbacks::LinkPath());
  delivery.message.body = EncodeJson(event);
  delivery.message.headers = {{"Content-Type", "application/json"},
                              {"X-GitHub-Delivery", "d" + std::to_string(made_)}};
  Sign(call.forged ? "a guess" : secret_, &delivery.message);
  return delivery;
}

std::optional<SimCall> SimCaller::Take(const std::function<Json(const std::string&)>& tell) {
  if (calls_.empty() || calls_.begin()->first > clock_.SteadyNow()) return std::nullopt;
  SimCall call = calls_.extract(calls_.begin()).mapped();
  if (call.delivery) return call;
  call.delivery = Make(call, tell(call.operation));
  if (dice_.Chance(calling_.doubled)) Add(dice_.Between(milliseconds(0), minutes(1)), call);
  return call;
}

void SimCaller::TakeAnswer(SimCall call, Answer answer) {
  journal_.Say(std::string(call.forged ? "forged " : "") + "callback about " + call.operation +
               " -> " + std::to_string(static_cast<int>(answer)));
  const bool taken = answer == Answer::kStored || answer == Answer::kDuplicate;
  const bool is_away = answer == Answer::kUnavailable || answer == Answer::kFull;
  if (call.forged) {
    // Of what is over the URL alone is looked at.
    if (taken || answer == Answer::kMalformed) journal_.Problem("a forged callback was believed");
    return;
  }
  if (taken && calling_.names_id && !call.url.empty())
    named_.try_emplace(call.correlation, clock_.SteadyNow());
  if (taken || answer == Answer::kFinished) return;
  const bool may_be = calling_.secrets_change && answer == Answer::kRefused;
  if (!is_away && !may_be)
    return journal_.Problem("a callback about " + call.operation + " was not believed");
  if (++call.tries == kMaxTries) return;
  if (may_be) call.delivery.reset();
  Add(dice_.Between(seconds(1), minutes(1)), std::move(call));
}

}  // namespace asyncops::sim
