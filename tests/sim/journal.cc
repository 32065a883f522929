#include "tests/sim/journal.h"

namespace asyncops::sim {

void Journal::Say(std::string_view text) {
  const auto passed =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.SteadyNow() - begun_).count();
  const std::string millis = std::to_string(1000 + passed % 1000).substr(1);
  text_.append("+").append(std::to_string(passed / 1000)).append(".").append(millis);
  text_.append(" ").append(text).append("\n");
}

void Journal::Problem(std::string_view text) {
  problems_.emplace_back(text);
  Say("PROBLEM: " + problems_.back());
}

}  // namespace asyncops::sim
