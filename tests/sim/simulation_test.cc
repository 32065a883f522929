// The simulation itself: the same seed is the same world, and what breaks is noticed.
#include "tests/sim/simulation.h"

#include <gtest/gtest.h>

namespace asyncops::sim {
namespace {

TEST(SimulationTest, TheSameSeedGivesTheSameLog) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome first = Simulate(MakePlan(seed));
    const Outcome second = Simulate(MakePlan(seed));
    EXPECT_EQ(first.log, second.log) << "seed " << seed;
  }
}

TEST(SimulationTest, AnotherSeedGivesAnotherLog) {
  EXPECT_NE(Simulate(MakePlan(1)).log, Simulate(MakePlan(2)).log);
}

TEST(SimulationTest, SeedsReachEveryKindOfCloudAndFault) {
  int keys = 0;
  int lookups = 0;
  int neither = 0;
  int deaths = 0;
  int takeovers = 0;
  int jumps = 0;
  int calls = 0;
  int names = 0;
  int trusts = 0;
  int systems = 0;
  int secrets = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Plan plan = MakePlan(seed);
    keys += plan.cloud.honours_key ? 1 : 0;
    lookups += plan.cloud.has_lookup ? 1 : 0;
    neither += !plan.cloud.honours_key && !plan.cloud.has_lookup ? 1 : 0;
    deaths += plan.death_per_mille > 0 ? 1 : 0;
    takeovers += plan.pause_per_mille > 0 ? 1 : 0;
    jumps += plan.jumps.empty() ? 0 : 1;
    const Calling& calling = plan.cloud.calling;
    calls += calling.asked ? 1 : 0;
    names += calling.asked && calling.names_id && !plan.cloud.honours_key ? 1 : 0;
    trusts += calling.asked && calling.trusted ? 1 : 0;
    systems += calling.asked && calling.at_system ? 1 : 0;
    secrets += calling.secrets_change ? 1 : 0;
  }
  for (const int count :
       {keys, lookups, neither, deaths, takeovers, jumps, calls, names, trusts, systems, secrets})
    EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace asyncops::sim
