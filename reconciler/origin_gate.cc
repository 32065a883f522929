#include "reconciler/origin_gate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/crypto.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::nanoseconds;

// Failures in a row after which a circuit opens.
constexpr int kFailuresToOpen = 5;
constexpr nanoseconds kFirstOpen = std::chrono::seconds(5);
// An operation that waits for a dead system finds it alive this soon.
constexpr nanoseconds kLongestOpen = std::chrono::minutes(1);
constexpr double kOpenJitter = 0.2;
// How soon those who wait for a probe or a place ask again.
constexpr nanoseconds kProbePatience = std::chrono::seconds(1);
constexpr nanoseconds kShortestWait = std::chrono::milliseconds(100);
constexpr nanoseconds kLongestWait = std::chrono::seconds(5);
constexpr nanoseconds kAverageOver = std::chrono::minutes(1);
constexpr nanoseconds kTellEvery = std::chrono::seconds(10);
constexpr double kMaxPressure = 10;
constexpr std::size_t kMaxEntries = 4096;
constexpr double kMaxInterval = 86400e9;  // a day of nanoseconds: sums of them do not overflow
// Places in a row are kept for so long. Who comes later asks again later: a place costs time even
// where the one who had it is gone.
constexpr nanoseconds kLongestRow = std::chrono::minutes(5);
// Steps of the golden ratio fall evenly into [0, 1), however many there are.
constexpr double kGoldenStep = 0.6180339887498949;

nanoseconds IntervalOf(const GateSubject& subject) {
  return nanoseconds(
      static_cast<std::int64_t>(std::min(kMaxInterval, 1e9 / subject.requests_per_second)));
}

nanoseconds ToleranceOf(const GateSubject& subject) {
  const double calls = std::max(subject.burst - 1, 0.0);
  return nanoseconds(static_cast<std::int64_t>(
      std::min(kMaxInterval, static_cast<double>(IntervalOf(subject).count()) * calls)));
}

double SecondsOf(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

// Weight of what is new after this time.
double WeightOf(nanoseconds since) {
  return 1 - std::exp(-SecondsOf(since) / SecondsOf(kAverageOver));
}

// Grows with each opening. Spread, so that several servers do not come back as one.
nanoseconds OpenTime(const GateSubject& subject, int openings, SteadyTime now) {
  const double grown = SecondsOf(kFirstOpen) * std::pow(2, std::min(openings, 30));
  const std::uint64_t hash =
      StableHash(subject.origin + std::to_string(now.time_since_epoch().count()));
  const double fraction = static_cast<double>(hash % 1000) / 1000;
  const double spread = 1 + kOpenJitter * (2 * fraction - 1);
  return nanoseconds(
      static_cast<std::int64_t>(std::min(grown, SecondsOf(kLongestOpen)) * spread * 1e9));
}

bool IsOverloaded(int status) { return status >= 500 && status != 501 && status != 505; }

}  // namespace

std::string_view CircuitName(Circuit circuit) {
  if (circuit == Circuit::kOpen) return "Open";
  return circuit == Circuit::kHalfOpen ? "HalfOpen" : "Closed";
}

std::string_view GateReasonName(GateReason reason) {
  switch (reason) {
    case GateReason::kRateLimited: return "RateLimited";
    case GateReason::kTooManyInFlight:
    case GateReason::kWorkersBusy: return "TooManyInFlight";
    case GateReason::kRetryAfter: return "RetryAfter";
    case GateReason::kCircuitOpen: return "CircuitOpen";
    case GateReason::kNone: break;
  }
  return "";
}

std::string GateNameOf(const ExternalSystem& system) {
  return system.metadata.namespace_name + "/" + system.metadata.name;
}

GateSubject SubjectOf(const ExternalSystem& system, const Uri& uri) {
  GateSubject subject;
  subject.system = GateNameOf(system);
  subject.origin = uri.Origin();
  subject.uid = system.metadata.uid;
  subject.generation = system.metadata.generation;
  if (!system.spec.limits) return subject;
  const LimitsSpec& limits = *system.spec.limits;
  // An object that came past the validators must neither stop us nor divide by zero.
  subject.requests_per_second =
      std::max(limits.requests_per_second.value_or(subject.requests_per_second), 0.001);
  // A faster rate brings a burst of its own: two seconds' worth, as the defaults are.
  const double burst = std::max(subject.requests_per_second * 2, 1.0);
  subject.burst = std::max(limits.burst ? static_cast<double>(*limits.burst) : burst, 1.0);
  subject.max_in_flight = std::max<std::int64_t>(limits.max_in_flight.value_or(1000), 1);
  return subject;
}

CallResult JudgeCall(const kube::Exchange& exchange, std::optional<Duration> retry_after) {
  using Outcome = kube::Exchange::Outcome;
  if (exchange.outcome == Outcome::kAnswered) {
    const int status = exchange.response.status;
    if (status == 429 || (retry_after && status == 503))
      return {CallResult::Kind::kRetryAfter, retry_after};
    return {IsOverloaded(status) ? CallResult::Kind::kFailed : CallResult::Kind::kWell, {}};
  }
  // A refusal of ours, or an answer that is a lie, is no sign of an outage.
  constexpr std::array<std::string_view, 6> kOurs = {"AddressRefused",   "RequestRefused",
                                                     "ResponseTooLarge", "MalformedResponse",
                                                     "Canceled",         "InvalidSystem"};
  const bool ours = std::find(kOurs.begin(), kOurs.end(), exchange.code) != kOurs.end();
  return {ours ? CallResult::Kind::kSaysNothing : CallResult::Kind::kFailed, {}};
}

Permit::Permit(Permit&& other) noexcept { *this = std::move(other); }

Permit& Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  if (held()) gate_->Return(*this, std::nullopt);
  gate_ = std::exchange(other.gate_, nullptr);
  system_ = std::move(other.system_);
  origin_ = std::move(other.origin_);
  round_ = other.round_;
  begun_ = other.begun_;
  return *this;
}

Permit::~Permit() {
  if (held()) gate_->Return(*this, std::nullopt);
}

void Permit::Finish(const CallResult& result) {
  if (held()) std::exchange(gate_, nullptr)->Return(*this, result);
}

Time OriginGate::WallTime(SteadyTime at, SteadyTime now) const {
  return clock_.Now() + std::chrono::ceil<Duration>(std::max(at - now, nanoseconds::zero()));
}

void OriginGate::MarkChanged(const std::string& system) {
  changed_.insert(system);
  any_changed_ = true;
}

void OriginGate::Evict() {
  auto oldest = entries_.end();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->second.in_flight > 0) continue;
    if (oldest == entries_.end() || it->second.used_at < oldest->second.used_at) oldest = it;
  }
  if (oldest == entries_.end()) return;
  told_.erase(oldest->first.first);
  changed_.erase(oldest->first.first);
  entries_.erase(oldest);
}

OriginGate::Entry& OriginGate::Find(const GateSubject& subject, SteadyTime now) {
  const Key key(subject.system, subject.origin);
  auto it = entries_.find(key);
  if (it == entries_.end()) {
    if (entries_.size() >= kMaxEntries) Evict();
    it = entries_.emplace(key, Entry()).first;
    it->second.subject = subject;
    it->second.full_at = now;
    it->second.round = ++rounds_;
  }
  Entry& entry = it->second;
  const bool other = subject.uid != entry.subject.uid;
  if (other || subject.generation > entry.subject.generation) {
    // What a user changed is tried at once.
    entry.subject = subject;
    entry.full_at = now;
    entry.round = ++rounds_;
    Close(entry);
  }
  entry.used_at = now;
  const auto told = told_.find(subject.system);
  if (told == told_.end() || now - told->second >= kTellEvery) MarkChanged(subject.system);
  return entry;
}

GateReason OriginGate::WhyNot(const Entry& entry) const {
  if (entry.circuit == Circuit::kOpen) return entry.reason;
  if (entry.circuit == Circuit::kHalfOpen && entry.probing) return entry.reason;
  if (entry.in_flight >= entry.subject.max_in_flight) return GateReason::kTooManyInFlight;
  const auto held = held_.find(entry.subject.system);
  if (held != held_.end() && held->second >= workers_ - in_flight_) return GateReason::kWorkersBusy;
  return GateReason::kNone;
}

Admission OriginGate::Refuse(const Entry& entry, const GateTicket& ticket, SteadyTime now) const {
  return {.permit = {},
          .reason = ticket.reason,
          .until = WallTime(ticket.at, now),
          .opening = entry.opening};
}

Permit OriginGate::Give(Entry& entry, SteadyTime now) {
  if (entry.in_flight == 0) entry.moved_at = now;
  ++entry.in_flight;
  ++in_flight_;
  ++held_[entry.subject.system];
  if (entry.circuit == Circuit::kHalfOpen) entry.probing = true;
  Permit permit;
  permit.gate_ = this;
  permit.system_ = entry.subject.system;
  permit.origin_ = entry.subject.origin;
  permit.round_ = entry.round;
  permit.begun_ = now;
  return permit;
}

Admission OriginGate::Admit(const GateSubject& subject, GateTicket* ticket) {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  Entry& entry = Find(subject, now);
  if (entry.circuit == Circuit::kOpen && now >= entry.open_until) {
    entry.circuit = Circuit::kHalfOpen;
    entry.probing = false;
    MarkChanged(subject.system);
  }
  const bool known = ticket->round == entry.round && ticket->reason != GateReason::kNone;
  if (known && now < ticket->at) return Refuse(entry, *ticket, now);
  const GateReason why = WhyNot(entry);
  const bool paid = known && ticket->paid;
  const SteadyTime full_at = std::max(entry.full_at, now);
  // A probe is one call in a long time: the rate has no say in it.
  const bool probe = entry.circuit == Circuit::kHalfOpen;
  const bool fits = paid || probe || full_at - ToleranceOf(entry.subject) <= now;
  if (why == GateReason::kNone && fits) {
    if (!paid) entry.full_at = full_at + IntervalOf(entry.subject);
    *ticket = GateTicket();
    return {.permit = Give(entry, now), .reason = why, .until = {}, .opening = entry.opening};
  }
  Queue(entry, why, ticket, now);
  return Refuse(entry, *ticket, now);
}

void OriginGate::Queue(Entry& entry, GateReason why, GateTicket* ticket, SteadyTime now) {
  SteadyTime earliest = now;
  if (why == GateReason::kTooManyInFlight || why == GateReason::kWorkersBusy) {
    const nanoseconds still = now - entry.moved_at;
    const nanoseconds usual(static_cast<std::int64_t>(entry.latency * 1e9));
    earliest += std::clamp(std::max(still, usual), kShortestWait, kLongestWait);
  } else if (entry.circuit == Circuit::kOpen) {
    earliest = entry.open_until;
  } else if (why != GateReason::kNone) {
    earliest += kProbePatience;
  }
  const SteadyTime full_at = std::max(entry.full_at, now);
  const SteadyTime turn = std::max(full_at - ToleranceOf(entry.subject), earliest);
  ticket->round = entry.round;
  ticket->reason = why == GateReason::kNone ? GateReason::kRateLimited : why;
  ticket->paid = turn - earliest < kLongestRow;
  if (ticket->paid) {
    // The next place in the row, so that those who wait come one by one.
    entry.full_at = full_at + IntervalOf(entry.subject);
    ticket->at = turn;
    return;
  }
  entry.spread = std::fmod(entry.spread + kGoldenStep, 1);
  const auto later = static_cast<double>(kLongestRow.count()) * entry.spread;
  ticket->at = earliest + kLongestRow + nanoseconds(static_cast<std::int64_t>(later));
}

Admission OriginGate::AdmitAtOnce(const GateSubject& subject) {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  Entry& entry = Find(subject, now);
  if (entry.circuit == Circuit::kOpen && now < entry.open_until) {
    const GateTicket ticket{
        .at = entry.open_until, .round = entry.round, .reason = entry.reason, .paid = false};
    return Refuse(entry, ticket, now);
  }
  entry.full_at = std::max(entry.full_at, now) + IntervalOf(entry.subject);
  if (entry.circuit == Circuit::kOpen) entry.circuit = Circuit::kHalfOpen;
  return {.permit = Give(entry, now), .reason = {}, .until = {}, .opening = entry.opening};
}

void OriginGate::Open(Entry& entry, GateReason reason, nanoseconds time, SteadyTime now) {
  if (entry.circuit == Circuit::kClosed) ++entry.opening;
  entry.circuit = Circuit::kOpen;
  entry.reason = reason;
  entry.open_until = now + time;
  entry.probing = false;
  // Earlier places are void: afterwards callers come one by one, without a burst.
  entry.round = ++rounds_;
  entry.full_at = entry.open_until + ToleranceOf(entry.subject);
  MarkChanged(entry.subject.system);
}

void OriginGate::Close(Entry& entry) {
  entry.failures = 0;
  entry.openings = 0;
  entry.probing = false;
  if (entry.circuit == Circuit::kClosed) return;
  entry.circuit = Circuit::kClosed;
  entry.reason = GateReason::kNone;
  MarkChanged(entry.subject.system);
}

void OriginGate::Judge(Entry& entry, const CallResult& result, bool probe, SteadyTime now) {
  switch (result.kind) {
    case CallResult::Kind::kWell:
      // A call from before the outage says nothing of its end.
      if (entry.circuit != Circuit::kOpen) Close(entry);
      break;
    case CallResult::Kind::kFailed:
      if (entry.circuit == Circuit::kOpen) break;
      ++entry.failures;
      if (probe || entry.failures >= kFailuresToOpen)
        Open(entry, GateReason::kCircuitOpen, OpenTime(entry.subject, entry.openings++, now), now);
      break;
    case CallResult::Kind::kRetryAfter: {
      const nanoseconds wait = result.retry_after.value_or(Duration::zero());
      const bool longer = entry.circuit != Circuit::kOpen || now + wait > entry.open_until;
      if (longer && wait > nanoseconds::zero()) Open(entry, GateReason::kRetryAfter, wait, now);
      break;
    }
    case CallResult::Kind::kSaysNothing: break;
  }
}

void OriginGate::Return(const Permit& permit, const std::optional<CallResult>& result) {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  --in_flight_;
  if (const auto held = held_.find(permit.system_); held != held_.end() && --held->second <= 0)
    held_.erase(held);
  const auto it = entries_.find(Key(permit.system_, permit.origin_));
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  --entry.in_flight;
  entry.moved_at = now;
  const bool probe = entry.circuit == Circuit::kHalfOpen && permit.round_ == entry.round;
  if (probe) entry.probing = false;
  if (!result) {
    if (permit.round_ == entry.round) entry.full_at -= IntervalOf(entry.subject);
    return;
  }
  if (result->kind != CallResult::Kind::kSaysNothing) {
    // Nothing is known before the first one.
    const bool first = entry.measured_at == SteadyTime();
    const double share = first ? 1 : WeightOf(now - entry.measured_at);
    const double failed = result->kind == CallResult::Kind::kWell ? 0 : 1;
    entry.latency += share * (SecondsOf(now - permit.begun_) - entry.latency);
    entry.errors += share * (failed - entry.errors);
    entry.measured_at = now;
  }
  Judge(entry, *result, probe, now);
}

void OriginGate::Probe(const std::string& system) {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  for (auto it = entries_.lower_bound(Key(system, ""));
       it != entries_.end() && it->first.first == system; ++it) {
    Entry& entry = it->second;
    if (entry.circuit != Circuit::kOpen) continue;
    entry.circuit = Circuit::kHalfOpen;
    entry.probing = false;
    entry.full_at = now;
    entry.round = ++rounds_;
    MarkChanged(system);
  }
}

double OriginGate::Pressure(const std::string& system, const std::string& origin) const {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  const auto it = entries_.find(Key(system, origin));
  if (it == entries_.end()) return 1;
  const Entry& entry = it->second;
  const double kept = 1 - WeightOf(now - entry.measured_at);
  const SteadyTime from = entry.circuit == Circuit::kOpen ? std::max(now, entry.open_until) : now;
  const nanoseconds row = entry.full_at - ToleranceOf(entry.subject) - from;
  const double depth =
      std::max(0.0, SecondsOf(row) / std::max(SecondsOf(IntervalOf(entry.subject)), 1e-9));
  const double exponent =
      0.5 * entry.latency * kept + 0.3 * entry.errors * kept + 0.2 * depth / 1000;
  return std::clamp(std::pow(2, std::min(exponent, 10.0)), 1.0, kMaxPressure);
}

GateState OriginGate::StateOf(const std::string& system) const {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  GateState state;
  for (auto it = entries_.lower_bound(Key(system, ""));
       it != entries_.end() && it->first.first == system; ++it) {
    const Entry& entry = it->second;
    state.in_flight += entry.in_flight;
    if (entry.circuit <= state.circuit && !state.origin.empty()) continue;
    state.circuit = entry.circuit;
    state.reason = entry.reason;
    state.until = WallTime(entry.open_until, now);
    state.origin = entry.subject.origin;
    state.opening = entry.opening;
  }
  return state;
}

std::vector<GateState> OriginGate::Origins(std::size_t most) const {
  std::map<std::string, GateState> worst;
  const MutexLock lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    GateState& state = worst[key.second];
    state.origin = key.second;
    state.in_flight += entry.in_flight;
    state.circuit = std::max(state.circuit, entry.circuit);
  }
  std::vector<GateState> states;
  for (const Circuit circuit : {Circuit::kOpen, Circuit::kHalfOpen, Circuit::kClosed}) {
    for (const auto& [origin, state] : worst) {
      if (state.circuit == circuit && states.size() < most) states.push_back(state);
    }
  }
  return states;
}

std::vector<std::string> OriginGate::TakeChanged() {
  if (!any_changed_) return {};
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  std::vector<std::string> systems(changed_.begin(), changed_.end());
  for (const std::string& system : systems) told_[system] = now;
  changed_.clear();
  any_changed_ = false;
  return systems;
}

}  // namespace asyncops::reconciler
