// The steps that one evaluation may take. Time and memory both follow from it: every node visited,
// every JSON value compared or copied, and every 64 bytes of text worked on cost one step.
#ifndef ASYNCOPS_API_EXPR_BUDGET_H_
#define ASYNCOPS_API_EXPR_BUDGET_H_

#include <cstddef>

#include "base/json.h"
#include "base/limits.h"

namespace asyncops::expr {

class Budget {
 public:
  // False once more steps were asked for than there are; it stays so.
  bool Spend(std::size_t steps = 1) {
    if (exhausted_ || steps > left_) {
      exhausted_ = true;
    } else {
      left_ -= steps;
    }
    return !exhausted_;
  }
  bool SpendBytes(std::size_t bytes) { return Spend(1 + bytes / kBytesPerStep); }
  // The cost of a copy of the value.
  bool SpendCopy(const Json& value);
  bool exhausted() const { return exhausted_; }

 private:
  static constexpr std::size_t kBytesPerStep = 64;

  std::size_t left_ = kMaxExpressionSteps;
  bool exhausted_ = false;
};

// About the bytes of the value's encoding: a lower bound, counted no further than just above
// `limit`.
std::size_t EstimateBytes(const Json& value, std::size_t limit);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_BUDGET_H_
