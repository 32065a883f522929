#include "tests/sim/simulation.h"

#include <algorithm>
#include <chrono>

#include "tests/sim/invariants.h"
#include "tests/sim/sim_user.h"
#include "tests/sim/world.h"

namespace asyncops::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// Longer than any key lives, any deadline, and all slow retries.
constexpr Duration kLongest = hours(24 * 4);
constexpr int kMaxSteps = 20'000;

class Run {
 public:
  explicit Run(const Plan& plan) : world_(plan), user_(&world_) {}

  Outcome ToTheEnd() {
    Live();
    if (Ok()) CheckRest(&world_, user_);
    if (Ok()) Clear();
    if (Ok()) CheckGone(&world_, user_);
    world_.Close();
    CheckFiles(&world_);
    return Outcome{.problems = world_.journal.problems(),
                   .log = world_.journal.text(),
                   .operations = static_cast<int>(world_.operations.seen().size()),
                   .effects = static_cast<int>(world_.cloud.things().size()),
                   .deaths = world_.life.deaths(),
                   .calls = world_.network.calls(),
                   .callbacks = world_.cloud.caller().made()};
  }

 private:
  bool Ok() const { return world_.journal.problems().empty(); }

  // False where it went on too long.
  bool Step(Duration end) {
    if (++steps_ > kMaxSteps || world_.passed() > end) {
      world_.journal.Problem("it does not come to an end");
      return false;
    }
    worked_ = world_.Step(user_.ActUntil());
    if (worked_) return Ok();
    if (world_.dice.Chance(200)) CheckMoment(&world_);
    if (world_.passed() >= next_look_) {
      user_.Resolve();
      user_.Orphan();
      next_look_ = world_.passed() + minutes(5);
    }
    return Ok();
  }

  // Until the storm is over and everything has ended.
  void Live() {
    bool storm = true;
    while (Step(kLongest)) {
      if (storm && world_.passed() >= world_.plan.storm) {
        storm = false;
        world_.EndStorm();
        continue;  // a death in the step before may have left something to do
      }
      if (!storm && !worked_ && user_.done() && world_.IsQuiet(minutes(1)) && AllEnded()) return;
    }
  }

  bool AllEnded() {
    for (const auto& [uid, seen] : world_.operations.seen()) {
      const std::string_view phase = seen.object.StringAt({"status", "phase"});
      if (!seen.gone && phase != "Succeeded" && phase != "Failed" && phase != "Canceled")
        return false;
    }
    const auto& all = world_.resources.seen();
    return std::all_of(all.begin(), all.end(), [](const auto& each) {
      const SeenObject& seen = each.second;
      const std::string_view phase = seen.object.StringAt({"status", "phase"});
      return seen.gone || phase == "Ready" || phase == "Failed";
    });
  }

  bool AllGone() const {
    for (const Watcher* watcher : {&world_.operations, &world_.resources}) {
      for (const auto& [uid, seen] : watcher->seen()) {
        if (!seen.gone) return false;
      }
    }
    return true;
  }

  // Everything is deleted.
  void Clear() {
    user_.DeleteAll();
    const Duration end = world_.passed() + kLongest;
    while (!AllGone() && Step(end)) {
    }
  }

  World world_;
  SimUser user_;
  int steps_ = 0;
  bool worked_ = false;  // the last one, and did not only pass time
  Duration next_look_{};
};

}  // namespace

Outcome Simulate(const Plan& plan) { return Run(plan).ToTheEnd(); }

}  // namespace asyncops::sim
