// One seed from its beginning to its end.
#ifndef ASYNCOPS_TESTS_SIM_SIMULATION_H_
#define ASYNCOPS_TESTS_SIM_SIMULATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/plan.h"

namespace asyncops::sim {

struct Outcome {
  std::vector<std::string> problems;  // none where every invariant held
  std::string log;
  int operations = 0;
  int effects = 0;
  int deaths = 0;
  int calls = 0;
  int callbacks = 0;
};

// The same plan gives the same outcome, to the byte.
Outcome Simulate(const Plan& plan);

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_SIMULATION_H_
