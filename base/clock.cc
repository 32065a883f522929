#include "base/clock.h"

namespace asyncops {

Time SystemClock::Now() const {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::SteadyNow() const { return std::chrono::steady_clock::now(); }

}  // namespace asyncops
