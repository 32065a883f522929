// The network between the engine and the simulated cloud: it loses, delays, doubles and reorders.
#ifndef ASYNCOPS_TESTS_SIM_SIM_NETWORK_H_
#define ASYNCOPS_TESTS_SIM_SIM_NETWORK_H_

#include <functional>
#include <map>
#include <string>

#include "kube/http_transport.h"
#include "tests/sim/life.h"
#include "tests/sim/sim_cloud.h"
#include "tests/support/fake_clock.h"

namespace asyncops::sim {

// How many of a thousand calls end so. What is left over is answered.
struct Weather {
  int not_sent = 0;         // no name, no connection, no TLS
  int lost = 0;             // the request never arrives
  int late = 0;             // it arrives after its timeout
  int answer_lost = 0;      // it arrives, and the answer does not
  int doubled = 0;          // it arrives twice, where that does no harm
  int slow = 0;             // the answer takes its time
  int refused_between = 0;  // 500, 502, 503, 504 of something on the way
  int broken_after = 0;     // 500, 502, 504 once the work is done
  int throttled = 0;        // 429, 503 with Retry-After
  int garbage = 0;          // a page for people, or half an answer
  int unauthorized = 0;     // 401, 403
};

// For one thread, but that Cancel may come from another.
class SimNetwork final : public kube::HttpTransport {
 public:
  // All outlive it. A request that is late arrives at most `longest_flight` after its timeout.
  SimNetwork(SimCloud& cloud, FakeClock& clock, Life& life, Duration longest_flight, Dice dice,
             Journal* journal);

  kube::Exchange Send(const kube::OutboundRequest& request) override;

  void SetWeather(const Weather& weather) { weather_ = weather; }
  // In how many of a thousand calls the process stands still while it waits for the answer; then
  // `pause` is called.
  void SetPauses(int per_mille, std::function<void()> pause);

  // What makes the calls of the cloud that are due (SimCaller::next).
  void SetDelivery(std::function<void()> deliver) { deliver_ = std::move(deliver); }

  // Moves the clock on; what is under way arrives in its time.
  void Advance(Duration by) { Advance(by, false); }
  // The same for a server that has nothing to do, until a callback has come at most.
  void AdvanceIdly(Duration by) { Advance(by, true); }
  bool idle() const { return under_way_.empty(); }
  // Whether a request with this correlation ID is under way.
  bool Carries(const std::string& correlation) const;
  int calls() const { return calls_; }

 private:
  enum class Fate {
    kAnswered,
    kNotSent,
    kLost,
    kLate,
    kAnswerLost,
    kDoubled,
    kSlow,
    kRefusedBetween,
    kBrokenAfter,
    kThrottled,
    kGarbage,
    kUnauthorized,
  };

  void Advance(Duration by, bool stops_at_call);
  Fate DrawFate(const kube::OutboundRequest& request);
  kube::Exchange Meet(Fate fate, const kube::OutboundRequest& request);
  kube::Exchange Deliver(const kube::OutboundRequest& request);
  kube::Exchange AnswerWith(kube::OutboundResponse response);
  kube::Exchange Throttle(const kube::OutboundRequest& request);
  kube::Exchange TimeOut(const kube::OutboundRequest& request);
  void ArriveLater(const kube::OutboundRequest& request, Duration after);
  Duration LessThan(const kube::OutboundRequest& request);

  SimCloud& cloud_;
  FakeClock& clock_;
  Life& life_;
  const Duration longest_flight_;
  Dice dice_;
  Journal& journal_;
  Weather weather_;
  int pause_per_mille_ = 0;
  std::function<void()> pause_;
  std::function<void()> deliver_;
  std::multimap<SteadyTime, kube::OutboundRequest> under_way_;
  int calls_ = 0;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_SIM_NETWORK_H_
