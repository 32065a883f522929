// Whether a call to an external system may go out now: a rate, a number of calls under way and a
// circuit breaker for each origin of each ExternalSystem.
#ifndef ASYNCOPS_RECONCILER_ORIGIN_GATE_H_
#define ASYNCOPS_RECONCILER_ORIGIN_GATE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/uri.h"
#include "kube/http_transport.h"

namespace asyncops::reconciler {

// Threads that work on keys, and so may be in a call at one time.
inline constexpr int kDefaultWorkers = 64;

enum class Circuit { kClosed, kHalfOpen, kOpen };
// As status.circuit shows it.
std::string_view CircuitName(Circuit circuit);

// Why a call has to wait.
enum class GateReason {
  kNone,
  kRateLimited,      // limits.requestsPerSecond and burst
  kTooManyInFlight,  // limits.maxInFlight
  kWorkersBusy,      // its calls hold their share of the workers
  kRetryAfter,       // the system asked for it
  kCircuitOpen,      // it failed several times in a row
};
// As a condition's reason.
std::string_view GateReasonName(GateReason reason);

// Who is called, and what its ExternalSystem allows.
struct GateSubject {
  std::string system;  // NAMESPACE/NAME
  std::string origin;
  std::string uid;              // of the ExternalSystem: another one starts afresh
  std::int64_t generation = 0;  // of the ExternalSystem: so does a later one
  double requests_per_second = 20;
  double burst = 40;
  std::int64_t max_in_flight = 1000;
};
GateSubject SubjectOf(const ExternalSystem& system, const Uri& uri);
// NAMESPACE/NAME.
std::string GateNameOf(const ExternalSystem& system);

// A caller's place before an origin. The caller keeps it from one try to the next, so that its turn
// is its own; one that holds nothing is a newcomer.
struct GateTicket {
  SteadyTime at{};
  std::uint64_t round = 0;  // the entry's when it was given; of an earlier one it is void
  GateReason reason = GateReason::kNone;
  bool paid = false;  // its place in the rate is reserved

  bool operator==(const GateTicket&) const = default;
};

// What became of a call, as far as the gate goes.
struct CallResult {
  enum class Kind {
    kWell,         // answered, and neither of the next two
    kFailed,       // not reached, timed out, cut, or 5xx
    kRetryAfter,   // 429 or 503 that asks for time, or 429 that does not say how much
    kSaysNothing,  // not sent for a reason of ours, or cut by us
  };
  Kind kind = Kind::kSaysNothing;
  std::optional<Duration> retry_after;
};
// `retry_after` as the answer's headers say.
CallResult JudgeCall(const kube::Exchange& exchange, std::optional<Duration> retry_after);

class OriginGate;

// Leave to make one call; destroying it unused gives it back. Moves, since it is handed from the
// one who asks to the one who calls.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept;
  Permit& operator=(Permit&& other) noexcept;
  ~Permit();

  bool held() const { return gate_ != nullptr; }
  const std::string& origin() const { return origin_; }
  // Tells what became of the call, and lets others at its place.
  void Finish(const CallResult& result);

 private:
  friend class OriginGate;
  OriginGate* gate_ = nullptr;
  std::string system_;
  std::string origin_;
  std::uint64_t round_ = 0;
  SteadyTime begun_{};
};

struct Admission {
  Permit permit;  // held where the call may go out; else the others say why not
  GateReason reason = GateReason::kNone;
  Time until{};               // when to ask again, with the ticket
  std::uint64_t opening = 0;  // tells one outage of the origin from the next
};

// What the world may know of a system or an origin.
struct GateState {
  Circuit circuit = Circuit::kClosed;
  GateReason reason = GateReason::kNone;  // of one that is not closed
  Time until{};                           // of kOpen
  std::int64_t in_flight = 0;
  std::string origin;
  std::uint64_t opening = 0;
};

// In memory only, bounded in number; safe for use from several threads. Outlives its permits.
class OriginGate {
 public:
  // Calls of one system are held to what leaves as many of the `workers` free as it holds.
  explicit OriginGate(const Clock& clock, int workers = kDefaultWorkers)
      : clock_(clock), workers_(workers) {}
  OriginGate(const OriginGate&) = delete;
  OriginGate& operator=(const OriginGate&) = delete;

  // Asks for one call. Where it is refused, `ticket` is the caller's place: it comes back with it
  // at the time given. Asking earlier changes nothing.
  Admission Admit(const GateSubject& subject, GateTicket* ticket) ASYNCOPS_EXCLUDES(mutex_);

  // For a call that another one already admitted needs and that cannot wait, such as a redirect's
  // next hop or a token: it counts as any other, and is refused only where the circuit is open.
  Admission AdmitAtOnce(const GateSubject& subject) ASYNCOPS_EXCLUDES(mutex_);

  // What was in the way may be gone, as after a change of a Secret or when a person says "retry
  // now": where a circuit of the system is open, the next call is its probe.
  void Probe(const std::string& system) ASYNCOPS_EXCLUDES(mutex_);

  // By how much polls of it are to be stretched, from 1 to 10: 2^(0.5 * latency in seconds + 0.3 *
  // share of failures + 0.2 * thousands of calls that wait), averages over about a minute.
  double Pressure(const std::string& system, const std::string& origin) const
      ASYNCOPS_EXCLUDES(mutex_);

  // The worst of the system's origins, calls of all of them.
  GateState StateOf(const std::string& system) const ASYNCOPS_EXCLUDES(mutex_);
  // Of up to `most` origins, those first that are not closed.
  std::vector<GateState> Origins(std::size_t most) const ASYNCOPS_EXCLUDES(mutex_);
  // Systems that are called for the first time, whose circuit changed, or that were called and not
  // given here for 10 s; each once.
  std::vector<std::string> TakeChanged() ASYNCOPS_EXCLUDES(mutex_);

 private:
  friend class Permit;
  using Key = std::pair<std::string, std::string>;  // system, origin

  struct Entry {
    GateSubject subject;
    // The time at which the bucket would be full again if nobody came: a call costs one interval.
    SteadyTime full_at{};
    Circuit circuit = Circuit::kClosed;
    GateReason reason = GateReason::kNone;
    SteadyTime open_until{};
    bool probing = false;
    int failures = 0;           // in a row
    int openings = 0;           // since it last went well
    std::uint64_t round = 0;    // of tickets and permits; no other entry ever has the same
    std::uint64_t opening = 0;  // outages so far
    std::int64_t in_flight = 0;
    SteadyTime moved_at{};  // the last call that ended, or began while there was none
    SteadyTime used_at{};
    double latency = 0;  // seconds, averaged
    double errors = 0;   // share, averaged
    SteadyTime measured_at{};
    double spread = 0;  // where the next one falls that the row does not hold
  };

  Entry& Find(const GateSubject& subject, SteadyTime now) ASYNCOPS_REQUIRES(mutex_);
  void Evict() ASYNCOPS_REQUIRES(mutex_);
  GateReason WhyNot(const Entry& entry) const ASYNCOPS_REQUIRES(mutex_);
  Admission Refuse(const Entry& entry, const GateTicket& ticket, SteadyTime now) const;
  // Gives the ticket a place.
  void Queue(Entry& entry, GateReason why, GateTicket* ticket, SteadyTime now)
      ASYNCOPS_REQUIRES(mutex_);
  Permit Give(Entry& entry, SteadyTime now) ASYNCOPS_REQUIRES(mutex_);
  void Open(Entry& entry, GateReason reason, std::chrono::nanoseconds time, SteadyTime now)
      ASYNCOPS_REQUIRES(mutex_);
  void Close(Entry& entry) ASYNCOPS_REQUIRES(mutex_);
  void MarkChanged(const std::string& system) ASYNCOPS_REQUIRES(mutex_);
  void Return(const Permit& permit, const std::optional<CallResult>& result)
      ASYNCOPS_EXCLUDES(mutex_);
  void Judge(Entry& entry, const CallResult& result, bool probe, SteadyTime now)
      ASYNCOPS_REQUIRES(mutex_);
  Time WallTime(SteadyTime at, SteadyTime now) const;

  const Clock& clock_;
  const int workers_;
  mutable Mutex mutex_;
  std::map<Key, Entry> entries_ ASYNCOPS_GUARDED_BY(mutex_);
  std::map<std::string, std::int64_t> held_ ASYNCOPS_GUARDED_BY(mutex_);  // by system, none is 0
  std::int64_t in_flight_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  std::uint64_t rounds_ ASYNCOPS_GUARDED_BY(mutex_) = 0;  // begun so far, of all entries
  std::map<std::string, SteadyTime> told_ ASYNCOPS_GUARDED_BY(mutex_);
  std::set<std::string> changed_ ASYNCOPS_GUARDED_BY(mutex_);
  std::atomic<bool> any_changed_ = false;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_ORIGIN_GATE_H_
