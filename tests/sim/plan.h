// What one seed stands for: a cloud, a weather, and what users do when.
#ifndef ASYNCOPS_TESTS_SIM_PLAN_H_
#define ASYNCOPS_TESTS_SIM_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tests/sim/sim_cloud.h"
#include "tests/sim/sim_network.h"

namespace asyncops::sim {

// Something that a user does. A value.
struct Act {
  enum class Kind {
    kCreateOperation,
    kCreateResource,
    kEdit,  // another size
    kCancel,
    kSuspend,
    kResume,
    kRetry,
    kDelete,
    kSetSecret,  // of the system, to the credentials of number `value`
    kDropSecret,
    kSetCloud,  // to ask for those
  };
  Duration at{};  // after the start
  Kind kind = Kind::kCreateOperation;
  std::string name;
  int value = 0;
};

// The wall clock is set on, or back.
struct Jump {
  Duration at{};
  Duration by{};
};

// The same seed gives the same plan. A value.
struct Plan {
  std::uint64_t seed = 0;
  Personality cloud;
  Weather weather;    // while the storm lasts
  Duration storm{};   // afterwards everything works, and all must come to its end
  Duration settle{};  // of look-ups
  Duration longest_flight{};
  Duration active_deadline{};
  int death_per_mille = 0;  // of steps, in the storm
  int refusal_per_mille = 0;
  int pause_per_mille = 0;     // of calls: another process takes over while one waits
  bool quick_retries = false;  // tiers of seconds, not the default ones
  std::vector<Act> acts;       // in the order of their times
  std::vector<Jump> jumps;     // so too

  std::string ToString() const;
};

Plan MakePlan(std::uint64_t seed);

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_PLAN_H_
