// sim_engine --seeds A..B [--log] [--first]: simulates each seed; those that break an invariant are
// shown with their logs, and make it exit with 1. --first ends it at the first of them.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "tests/sim/simulation.h"

namespace {

using asyncops::sim::MakePlan;
using asyncops::sim::Outcome;
using asyncops::sim::Simulate;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t last = 100;
  bool log = false;
  bool first_only = false;
};

bool ParseNumber(std::string_view text, std::uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseOptions(const std::vector<std::string_view>& arguments, Options* options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--log") {
      options->log = true;
      continue;
    }
    if (arguments[i] == "--first") {
      options->first_only = true;
      continue;
    }
    if (arguments[i] != "--seeds" || ++i == arguments.size()) return false;
    const std::size_t dots = arguments[i].find("..");
    const std::string_view first = arguments[i].substr(0, dots);
    const std::string_view last =
        dots == std::string_view::npos ? first : arguments[i].substr(dots + 2);
    if (!ParseNumber(first, &options->first) || !ParseNumber(last, &options->last)) return false;
  }
  return options->first <= options->last;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseOptions({argv + 1, argv + argc}, &options)) {
    std::cerr << "usage: sim_engine --seeds A..B [--log] [--first]\n";
    return 2;
  }
  asyncops::SetLogLevel(asyncops::LogLevel::kError);
  const asyncops::SystemClock clock;
  const auto begun = clock.SteadyNow();
  int failed = 0;
  Outcome sum;
  for (std::uint64_t seed = options.first; seed <= options.last; ++seed) {
    const Outcome outcome = Simulate(MakePlan(seed));
    sum.operations += outcome.operations;
    sum.effects += outcome.effects;
    sum.deaths += outcome.deaths;
    sum.calls += outcome.calls;
    sum.callbacks += outcome.callbacks;
    if (!outcome.problems.empty()) ++failed;
    if (options.log || !outcome.problems.empty())
      std::cout << "--- seed " << seed << "\n" << outcome.log << std::flush;
    for (const std::string& problem : outcome.problems)
      std::cout << "seed " << seed << " PROBLEM: " << problem << "\n";
    if (failed > 0 && options.first_only) break;
  }
  const auto count = options.last - options.first + 1;
  const auto passed =
      std::chrono::duration_cast<std::chrono::microseconds>(clock.SteadyNow() - begun).count();
  std::cout << count << " seeds, " << failed << " with problems; " << sum.operations
            << " operations, " << sum.effects << " effects, " << sum.calls << " calls, "
            << sum.callbacks << " callbacks, " << sum.deaths << " deaths; "
            << static_cast<double>(passed) / 1000.0 / static_cast<double>(count) << " ms a seed\n";
  return failed == 0 ? 0 : 1;
}
