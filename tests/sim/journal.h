// What happened in one simulation, line by line.
#ifndef ASYNCOPS_TESTS_SIM_JOURNAL_H_
#define ASYNCOPS_TESTS_SIM_JOURNAL_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace asyncops::sim {

// For one thread. The clock outlives it.
class Journal {
 public:
  explicit Journal(const Clock& clock) : clock_(clock), begun_(clock.SteadyNow()) {}

  // "+12.345 " and the text.
  void Say(std::string_view text);
  // A line that begins with PROBLEM: an invariant does not hold.
  void Problem(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  const Clock& clock_;
  const SteadyTime begun_;
  std::string text_;
  std::vector<std::string> problems_;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_JOURNAL_H_
