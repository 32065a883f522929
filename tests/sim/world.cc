#include "tests/sim/world.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "reconciler/work_queue.h"
#include "storage/sqlite_store.h"

namespace asyncops::sim {
namespace {

// No real plan needs as many passes at one instant; something spins.
constexpr int kMaxStepsAtOnce = 3000;
// Calls in a minute that each object may make: a first poll after 2 s, growing by half, and a few
// retries make less. A restart polls anew.
constexpr int kCallsPerMinute = 40;
constexpr int kCallsPerDeath = 10;
constexpr int kStepsBehind = 30;

}  // namespace

World::World(const Plan& asked)
    : plan(asked),
      journal(clock),
      dice(asked.seed ^ 0x5eedU),
      ids(dice.Fork()),
      life(dice.Fork(), &journal),
      cloud(plan.cloud, clock, dice.Fork(), &journal),
      network(cloud, clock, life, plan.longest_flight, dice.Fork(), &journal),
      operations("asyncoperations.operations.asyncops.dev", &journal),
      resources("asyncresources.asyncops.dev", &journal),
      begun_(clock.SteadyNow()),
      minute_(begun_) {
  journal.Say(plan.ToString());
  cloud.SetCredential(0);
  Restart();
  life.SetDanger(plan.death_per_mille, plan.refusal_per_mille);
  network.SetWeather(plan.weather);
  network.SetPauses(plan.pause_per_mille, [this] { TakeOver(); });
  network.SetDelivery([this] { MakeCalls(); });
}

World::~World() { Close(); }

void World::Close() {
  later_.reset();
  before_.reset();
  process_.reset();
  registry_.reset();
  store_.reset();
  disk_.reset();
}

std::vector<std::string> World::Files() const {
  return {directory_.File("store.db"), directory_.File("store.db-wal")};
}

Duration World::passed() const {
  return std::chrono::duration_cast<Duration>(clock.SteadyNow() - begun_);
}

void World::Restart() {
  do {
    Close();
    life.Begin();
  } while (!TryStart() && journal.problems().empty());
}

ProcessParts World::PartsOfProcess() {
  return {.store = *store_,
          .transport = network,
          .clock = clock,
          .ids = ids,
          .journal = journal,
          .links = links};
}

bool World::TryStart() {
  Result<std::unique_ptr<storage::Store>> opened =
      storage::OpenSqliteStore({.path = directory_.File("store.db"), .vfs = ""}, clock);
  if (!opened.ok()) {
    journal.Problem("the store does not open: " + opened.status().ToString());
    return false;
  }
  disk_ = std::move(*opened);
  store_ = std::make_unique<MortalStore>(*disk_, life);
  registry_ = std::make_unique<apiserver::Registry>(*store_, clock, ids);
  Result<std::unique_ptr<Process>> started = Process::Start(PartsOfProcess());
  if (!started.ok()) return false;
  process_ = std::move(*started);
  FollowWatches();
  return true;
}

void World::TakeOver() {
  if (later_ || before_ || life.dead()) return;
  Result<std::unique_ptr<Process>> started = Process::Start(PartsOfProcess());
  if (!started.ok()) return;
  journal.Say("the process stands still, and another takes over");
  later_ = std::move(*started);
  for (int i = dice.Below(kStepsBehind); i > 0 && !life.dead(); --i) {
    if (!later_->Step())
      network.Advance(dice.Between(std::chrono::seconds(1), std::chrono::seconds(20)));
  }
  journal.Say("the process that stood still goes on");
}

void World::MakeCalls() {
  while (std::optional<SimCall> call = cloud.TakeCall()) {
    called_ = true;
    // Who has taken over listens from then on.
    Process* const listener = later_ ? later_.get() : process_.get();
    const bool away = listener == nullptr || life.dead();
    const callbacks::Answer answer =
        away ? callbacks::Answer::kUnavailable : listener->Receive(*call->delivery);
    // Whom the death cuts off hears nothing.
    const bool cut_off = life.dead() && !call->forged;
    cloud.caller().TakeAnswer(*std::move(call), cut_off ? callbacks::Answer::kUnavailable : answer);
  }
}

void World::FollowWatches() {
  operations.Follow(*disk_);
  resources.Follow(*disk_);
}

void World::Jump() {
  while (next_jump_ < plan.jumps.size() && plan.jumps[next_jump_].at <= passed()) {
    const Duration by = plan.jumps[next_jump_++].by;
    clock.SetNow(clock.Now() + by);
    journal.Say("the wall clock jumps by " + std::to_string(by.count() / 1'000'000) + " s");
  }
}

void World::CountCalls() {
  if (clock.SteadyNow() < minute_ + std::chrono::minutes(1)) return;
  const int calls = network.calls() - calls_before_;
  const int objects = static_cast<int>(operations.seen().size()) + 1;
  const int allowed =
      kCallsPerMinute * objects + kCallsPerDeath * objects * (life.deaths() - deaths_before_);
  const auto minutes = (clock.SteadyNow() - minute_) / std::chrono::minutes(1);
  if (calls > allowed * static_cast<int>(minutes))
    journal.Problem(std::to_string(calls) + " calls in a minute");
  calls_before_ = network.calls();
  deaths_before_ = life.deaths();
  minute_ = clock.SteadyNow();
}

bool World::Step(SteadyTime next) {
  Jump();
  CountCalls();
  const bool worked = process_->Step();
  if (before_) {
    before_->Step();
    if (--before_steps_ <= 0) before_.reset();
  }
  if (later_) {
    before_ = std::move(process_);
    process_ = std::move(later_);
    before_steps_ = dice.Below(kStepsBehind);
  }
  if (!worked || dice.Chance(200)) process_->DeliverEvents();
  if (life.dead()) Restart();
  FollowWatches();
  if (worked) {
    if (++steps_at_once_ == kMaxStepsAtOnce) journal.Problem("it never comes to rest");
    return true;
  }
  steps_at_once_ = 0;
  SteadyTime until = next;
  if (next_jump_ < plan.jumps.size()) until = std::min(until, TimeAt(plan.jumps[next_jump_].at));
  const std::optional<Time> due = process_->NextDue();
  const Time now = reconciler::QueueNow(clock);
  // In the unit of a Time, which may be the earliest that there is.
  if (due && *due < now + std::chrono::ceil<Duration>(until - clock.SteadyNow()))
    until = clock.SteadyNow() + std::max(std::max(*due, now) - now, Duration(1));
  const auto wait = std::chrono::ceil<Duration>(until - clock.SteadyNow());
  network.AdvanceIdly(std::clamp(wait, Duration(1), Duration(std::chrono::hours(1))));
  // Of callbacks there may be Events.
  if (std::exchange(called_, false) && !life.dead()) process_->DeliverEvents();
  if (life.dead()) Restart();
  return false;
}

void World::EndStorm() {
  journal.Say("the storm is over");
  life.SetDanger(0, 0);
  network.SetWeather({});
  network.SetPauses(0, nullptr);
}

bool World::IsQuiet(Duration how_long) {
  const std::optional<Time> due = process_->NextDue();
  return network.idle() && !before_ && (!due || *due > reconciler::QueueNow(clock) + how_long);
}

}  // namespace asyncops::sim
