#include "tests/sim/sim_network.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace asyncops::sim {
namespace {

using kube::Exchange;
using kube::OutboundRequest;
using kube::OutboundResponse;
using std::chrono::milliseconds;
using std::chrono::seconds;

Exchange Unsent(std::string code) {
  Exchange exchange;
  exchange.outcome = Exchange::Outcome::kNotSent;
  exchange.error = "it could not be sent";
  exchange.code = std::move(code);
  return exchange;
}

Exchange InDoubt(std::string code) {
  Exchange exchange;
  exchange.outcome = Exchange::Outcome::kAmbiguous;
  exchange.error = "nobody knows whether it arrived";
  exchange.code = std::move(code);
  return exchange;
}

template <class T, std::size_t N>
const T& OneOf(const std::array<T, N>& all, Dice* dice) {
  return all.at(static_cast<std::size_t>(dice->Below(static_cast<int>(N))));
}

}  // namespace

SimNetwork::SimNetwork(SimCloud& cloud, FakeClock& clock, Life& life, Duration longest_flight,
                       Dice dice, Journal* journal)
    : cloud_(cloud),
      clock_(clock),
      life_(life),
      longest_flight_(longest_flight),
      dice_(dice),
      journal_(*journal) {}

void SimNetwork::SetPauses(int per_mille, std::function<void()> pause) {
  pause_per_mille_ = per_mille;
  pause_ = std::move(pause);
}

void SimNetwork::Advance(Duration by, bool stops_at_call) {
  const SteadyTime end = clock_.SteadyNow() + by;
  while (true) {
    const std::optional<SteadyTime> call = deliver_ ? cloud_.caller().next() : std::nullopt;
    const bool arrives = !under_way_.empty() && under_way_.begin()->first <= end;
    if (call && *call <= end && (!arrives || *call <= under_way_.begin()->first)) {
      clock_.Advance(std::max(*call - clock_.SteadyNow(), std::chrono::nanoseconds(0)));
      deliver_();
      if (stops_at_call) return;
      continue;
    }
    if (!arrives) break;
    const auto arrived = under_way_.extract(under_way_.begin());
    clock_.Advance(std::max(arrived.key() - clock_.SteadyNow(), std::chrono::nanoseconds(0)));
    journal_.Say("late: " + arrived.mapped().method + " " + arrived.mapped().uri.target);
    cloud_.Serve(arrived.mapped());
  }
  clock_.Advance(end - clock_.SteadyNow());
}

bool SimNetwork::Carries(const std::string& correlation) const {
  return std::any_of(under_way_.begin(), under_way_.end(), [&correlation](const auto& each) {
    return HeaderText(each.second, "x-correlation-id") == correlation;
  });
}

SimNetwork::Fate SimNetwork::DrawFate(const OutboundRequest& request) {
  const Weather& w = weather_;
  const std::array<std::pair<Fate, int>, 11> chances = {{{Fate::kNotSent, w.not_sent},
                                                         {Fate::kLost, w.lost},
                                                         {Fate::kLate, w.late},
                                                         {Fate::kAnswerLost, w.answer_lost},
                                                         {Fate::kDoubled, w.doubled},
                                                         {Fate::kSlow, w.slow},
                                                         {Fate::kRefusedBetween, w.refused_between},
                                                         {Fate::kBrokenAfter, w.broken_after},
                                                         {Fate::kThrottled, w.throttled},
                                                         {Fate::kGarbage, w.garbage},
                                                         {Fate::kUnauthorized, w.unauthorized}}};
  int thrown = dice_.Below(1000);
  for (const auto& [fate, chance] : chances) {
    thrown -= chance;
    if (thrown >= 0) continue;
    const bool harms = fate == Fate::kDoubled && !cloud_.IsIdempotent(request);
    return harms ? Fate::kAnswered : fate;
  }
  return Fate::kAnswered;
}

Exchange SimNetwork::Send(const OutboundRequest& request) {
  ++calls_;
  if (life_.Passes("before a call")) return Unsent("Canceled");
  const Fate fate = DrawFate(request);
  Exchange exchange = Meet(fate, request);
  journal_.Say("call " + request.method + " " + request.uri.target + " fate " +
               std::to_string(static_cast<int>(fate)) + " -> " +
               (exchange.outcome == Exchange::Outcome::kAnswered
                    ? std::to_string(exchange.response.status)
                    : exchange.code));
  if (pause_ && dice_.Chance(pause_per_mille_)) pause_();
  if (life_.Passes("after a call")) return InDoubt("Canceled");
  return exchange;
}

Duration SimNetwork::LessThan(const OutboundRequest& request) {
  return dice_.Between(milliseconds(1), request.timeout - milliseconds(100));
}

void SimNetwork::ArriveLater(const OutboundRequest& request, Duration after) {
  under_way_.emplace(clock_.SteadyNow() + after, request);
}

Exchange SimNetwork::AnswerWith(OutboundResponse response) {
  Advance(milliseconds(3));
  Exchange exchange;
  exchange.outcome = Exchange::Outcome::kAnswered;
  exchange.response = std::move(response);
  return exchange;
}

Exchange SimNetwork::Deliver(const OutboundRequest& request) {
  Advance(milliseconds(2));
  return AnswerWith(cloud_.Serve(request));
}

Exchange SimNetwork::TimeOut(const OutboundRequest& request) {
  Advance(request.timeout);
  return InDoubt("Timeout");
}

// What asks for patience has done nothing, but that a gateway may say so of a server that did: only
// where a key makes it safe to ask again.
Exchange SimNetwork::Throttle(const OutboundRequest& request) {
  const bool after_work = cloud_.IsIdempotent(request) && dice_.Chance(300);
  if (after_work) Deliver(request);
  OutboundResponse response =
      ErrorResponse(after_work || dice_.Chance(500) ? 503 : 429, "Busy", "");
  response.headers.emplace_back("Retry-After", std::to_string(1 + dice_.Below(90)));
  return AnswerWith(std::move(response));
}

Exchange SimNetwork::Meet(Fate fate, const OutboundRequest& request) {
  constexpr std::array<std::string_view, 3> kUnsent = {"NameNotResolved", "ConnectionRefused",
                                                       "TLSFailed"};
  switch (fate) {
    case Fate::kAnswered: break;
    case Fate::kNotSent:
      Advance(milliseconds(5));
      return Unsent(std::string(OneOf(kUnsent, &dice_)));
    case Fate::kLost: return TimeOut(request);
    case Fate::kLate:
      ArriveLater(request, request.timeout + dice_.Between(milliseconds(1), longest_flight_));
      return TimeOut(request);
    case Fate::kAnswerLost:
      Deliver(request);
      if (dice_.Chance(500)) return InDoubt("ConnectionReset");
      return TimeOut(request);
    case Fate::kDoubled: {
      const SteadyTime copied =
          clock_.SteadyNow() + dice_.Between(milliseconds(1), request.timeout + longest_flight_);
      Exchange exchange = Deliver(request);
      // What was refused for its credential does nothing later, when that is good.
      if (exchange.response.status != 401) under_way_.emplace(copied, request);
      return exchange;
    }
    case Fate::kSlow: Advance(LessThan(request)); break;
    case Fate::kRefusedBetween:
      return AnswerWith(
          ErrorResponse(OneOf(std::array{500, 502, 503, 504}, &dice_), "Gateway", ""));
    case Fate::kBrokenAfter:
      Deliver(request);
      return AnswerWith(ErrorResponse(OneOf(std::array{500, 502, 504}, &dice_), "Internal",
                                      "request " + std::to_string(dice_.Next()) + " broke"));
    case Fate::kThrottled: return Throttle(request);
    case Fate::kGarbage: {
      Deliver(request);
      if (dice_.Chance(500)) return InDoubt("MalformedResponse");
      return AnswerWith({.status = 200,
                         .headers = {{"Content-Type", "text/html"}},
                         .body = "<html>please log in</html>"});
    }
    case Fate::kUnauthorized:
      return AnswerWith(ErrorResponse(dice_.Chance(500) ? 401 : 403, "Denied",
                                      "Authorization was " + HeaderText(request, "authorization")));
  }
  return Deliver(request);
}

}  // namespace asyncops::sim
