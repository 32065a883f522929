#include "reconciler/fault_points.h"

#include <algorithm>
#include <charconv>
#include <unistd.h>

namespace asyncops::reconciler {

std::string FaultPoint::Name() const {
  return std::string(side == Side::kBefore ? "Before" : "After") + std::string(step) +
         (kind == Kind::kWrite ? "Write" : "Call");
}

ExitingFaultPoints::ExitingFaultPoints(std::string_view wanted)
    : name_(wanted.substr(0, wanted.find(':'))) {
  int nth = 1;
  const std::string_view number = wanted.substr(std::min(name_.size() + 1, wanted.size()));
  std::from_chars(number.data(), number.data() + number.size(), nth);
  left_ = nth;
}

void ExitingFaultPoints::Hit(const FaultPoint& point) {
  constexpr int kAsIfKilled = 137;
  if (point.Name() == name_ && --left_ == 0) _exit(kAsIfKilled);
}

}  // namespace asyncops::reconciler
