#include "tests/sim/plan.h"

#include <algorithm>
#include <chrono>

namespace asyncops::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A chance per mille: often none, sometimes high.
int Some(Dice* dice, int most) { return dice->Chance(400) ? 0 : dice->Below(most); }

Personality MakePersonality(Dice* dice) {
  Personality cloud;
  cloud.face = static_cast<Face>(dice->Below(3));
  // Half of them honour keys; a third can be asked; some both, some neither.
  cloud.honours_key = dice->Chance(550);
  cloud.has_lookup = dice->Chance(cloud.honours_key ? 300 : 700);
  cloud.can_cancel = dice->Chance(700);
  cloud.hints = dice->Chance(300);
  cloud.key_ttl = dice->Chance(300) ? Duration(minutes(10)) : Duration(hours(24));
  if (dice->Chance(300)) cloud.poll_lag = dice->Between(seconds(1), seconds(30));
  if (dice->Chance(300)) cloud.lookup_lag = dice->Between(seconds(1), seconds(15));
  if (dice->Chance(300)) cloud.longest_operation = minutes(10);
  if (dice->Chance(250)) cloud.stores_500 = dice->Below(400);
  // A stored 500 lasts as long as its key, and all the while it is asked for again.
  if (cloud.stores_500 > 0) cloud.key_ttl = minutes(10);
  if (dice->Chance(300)) cloud.refuses = dice->Below(500);
  if (dice->Chance(300)) cloud.fails = dice->Below(500);
  return cloud;
}

Weather MakeWeather(Dice* dice) {
  Weather weather;
  weather.not_sent = Some(dice, 150);
  weather.lost = Some(dice, 100);
  weather.late = Some(dice, 150);
  weather.answer_lost = Some(dice, 200);
  weather.doubled = Some(dice, 100);
  weather.slow = Some(dice, 100);
  weather.refused_between = Some(dice, 100);
  weather.broken_after = Some(dice, 100);
  weather.throttled = Some(dice, 100);
  weather.garbage = Some(dice, 100);
  weather.unauthorized = Some(dice, 60);
  return weather;
}

// A new generation of what may still run beyond its deadline is a question of its own, which unit
// tests ask.
bool IsNewGeneration(const Act& act) {
  return act.name.starts_with("vol-") &&
         (act.kind == Act::Kind::kEdit || act.kind == Act::Kind::kSuspend ||
          act.kind == Act::Kind::kResume);
}

void AddActs(Dice* dice, const std::string& name, bool resource, Plan* plan) {
  Duration at = dice->Between(milliseconds(0), minutes(2));
  const auto act = [&at, &name, plan](Act::Kind kind, int value) {
    plan->acts.push_back({.at = at, .kind = kind, .name = name, .value = value});
  };
  act(resource ? Act::Kind::kCreateResource : Act::Kind::kCreateOperation, 1);
  for (int i = dice->Below(4); i > 0; --i) {
    at += dice->Between(milliseconds(0), dice->Chance(500) ? seconds(5) : seconds(300));
    switch (dice->Below(resource ? 5 : 4)) {
      case 0: act(Act::Kind::kRetry, 0); break;
      case 1:
        act(Act::Kind::kSuspend, 0);
        at += dice->Between(milliseconds(0), minutes(3));
        act(Act::Kind::kResume, 0);
        break;
      case 2:
        if (!resource) act(Act::Kind::kCancel, 0);
        break;
      case 3:
        if (dice->Chance(500)) act(Act::Kind::kDelete, 0);
        break;
      default: act(Act::Kind::kEdit, 2 + i); break;
    }
  }
}

// Of the wall clock. A look-up's settle time and a key's life are measured on it across restarts,
// so a system is as good as the bound that was declared: where clocks jump, it must be wide.
void AddJumps(Dice* dice, Plan* plan) {
  if (!dice->Chance(250)) return;
  const bool long_keys = plan->cloud.honours_key && plan->cloud.key_ttl >= hours(24);
  for (int i = 1 + dice->Below(2); i > 0; --i) {
    const Duration at = dice->Between(seconds(0), plan->storm);
    const bool back = dice->Chance(500);
    if (back && (long_keys || !plan->cloud.honours_key)) {
      plan->jumps.push_back({.at = at, .by = -dice->Between(seconds(1), hours(1))});
    } else if (!back && !plan->cloud.has_lookup) {
      plan->jumps.push_back({.at = at, .by = dice->Between(seconds(1), hours(1))});
    }
  }
}

Calling MakeCalling(const Personality& cloud, Dice* dice) {
  // Where nothing else can tell, what a callback says counts most.
  const bool alone = !cloud.honours_key && !cloud.has_lookup;
  Calling calling;
  calling.asked = dice->Chance(alone ? 900 : 500);
  calling.at_system = dice->Chance(alone ? 100 : 300);
  calling.is_signed = dice->Chance(600);
  calling.names_id = !calling.at_system && dice->Chance(alone ? 800 : 600);
  calling.trusted = calling.is_signed && dice->Chance(400);
  calling.early = Some(dice, 600);
  calling.silent = Some(dice, 500);
  calling.doubled = Some(dice, 400);
  calling.late = Some(dice, 400);
  calling.forged = Some(dice, 500);
  return calling;
}

// The credentials are changed, here and at the cloud in either order, or the Secret is away for a
// while; at the end they fit.
void AddSecretChanges(Dice* dice, Plan* plan) {
  if (!dice->Chance(250)) return;
  plan->cloud.calling.secrets_change = true;
  Duration at{};
  int number = 0;
  const auto act = [&at, plan](Act::Kind kind, int value) {
    plan->acts.push_back({.at = at, .kind = kind, .name = "cloud", .value = value});
  };
  for (int i = 1 + dice->Below(3); i > 0; --i) {
    at += dice->Between(seconds(0), minutes(3));
    const bool drops = dice->Chance(400);
    const bool ours_first = dice->Chance(500);
    if (!drops) ++number;
    act(drops        ? Act::Kind::kDropSecret
        : ours_first ? Act::Kind::kSetSecret
                     : Act::Kind::kSetCloud,
        number);
    at += dice->Between(seconds(0), minutes(2));
    act(!drops && ours_first ? Act::Kind::kSetCloud : Act::Kind::kSetSecret, number);
  }
}

}  // namespace

Plan MakePlan(std::uint64_t seed) {
  Dice dice(seed);
  Plan plan;
  plan.seed = seed;
  plan.cloud = MakePersonality(&dice);
  plan.weather = MakeWeather(&dice);
  plan.storm = dice.Between(minutes(1), minutes(15));
  plan.longest_flight = seconds(20);
  plan.settle = seconds(60);
  plan.active_deadline =
      dice.Chance(150) ? Duration(dice.Between(seconds(20), minutes(10))) : Duration(hours(24));
  plan.death_per_mille = dice.Chance(700) ? 1 + dice.Below(40) : 0;
  plan.refusal_per_mille = Some(&dice, 20);
  plan.pause_per_mille = dice.Chance(300) ? dice.Below(60) : 0;
  plan.quick_retries = dice.Chance(500);
  const int operations = dice.Below(3);
  const int resources = (operations == 0 ? 1 : 0) + dice.Below(3);
  for (int i = 0; i < operations; ++i) AddActs(&dice, "op-" + std::to_string(i), false, &plan);
  for (int i = 0; i < resources; ++i) AddActs(&dice, "vol-" + std::to_string(i), true, &plan);
  if (plan.active_deadline < hours(1)) std::erase_if(plan.acts, IsNewGeneration);
  // Of their own, so that a seed's other throws stay as they are.
  Dice more(seed ^ 0xca11U);
  plan.cloud.calling = MakeCalling(plan.cloud, &more);
  AddSecretChanges(&more, &plan);
  std::stable_sort(plan.acts.begin(), plan.acts.end(),
                   [](const Act& a, const Act& b) { return a.at < b.at; });
  AddJumps(&dice, &plan);
  std::stable_sort(plan.jumps.begin(), plan.jumps.end(),
                   [](const Jump& a, const Jump& b) { return a.at < b.at; });
  return plan;
}

std::string Plan::ToString() const {
  std::string text = "seed " + std::to_string(seed);
  text += " face " + std::to_string(static_cast<int>(cloud.face));
  text += cloud.honours_key ? " key" : " no-key";
  text += cloud.has_lookup ? " look-up" : " no-look-up";
  const Calling& calling = cloud.calling;
  if (calling.asked) {
    text += calling.at_system ? " calls-system" : calling.names_id ? " calls-by-name" : " calls";
    text += calling.trusted ? "-trusted" : calling.is_signed ? "-signed" : "";
  }
  text += " storm " + std::to_string(storm.count() / 1'000'000) + "s";
  text += " deaths " + std::to_string(death_per_mille) + " pauses " +
          std::to_string(pause_per_mille) + " acts";
  for (const Act& act : acts) {
    text += " " + act.name + ":" + std::to_string(static_cast<int>(act.kind)) + "@" +
            std::to_string(act.at.count() / 1'000'000);
  }
  return text;
}

}  // namespace asyncops::sim
