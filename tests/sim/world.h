// A whole simulated world: store, processes, cloud, network and time.
#ifndef ASYNCOPS_TESTS_SIM_WORLD_H_
#define ASYNCOPS_TESTS_SIM_WORLD_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/registry/registry.h"
#include "tests/sim/plan.h"
#include "tests/sim/process.h"
#include "tests/sim/watcher.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace asyncops::sim {

// For one thread. Its members are what users, cloud and invariants look at.
class World {
 public:
  explicit World(const Plan& plan);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // One step: of a process, or of time where nothing is due, until `next` at most. False where
  // nothing is due and time moved on.
  bool Step(SteadyTime next);
  // From now on everything works.
  void EndStorm();

  Duration passed() const;  // since the beginning, on the steady clock
  SteadyTime TimeAt(Duration at) const { return begun_ + at; }
  // Whether nothing is due before this long from now, and nothing is under way.
  bool IsQuiet(Duration how_long);
  storage::Store& store() { return *store_; }
  // The server's verbs, as users reach them.
  apiserver::Registry& registry() { return *registry_; }
  // Ends the process and closes the file.
  void Close();
  // Of the database, and of its log.
  std::vector<std::string> Files() const;

  const Plan plan;
  FakeClock clock;
  Journal journal;
  Dice dice;
  DiceIds ids;
  Life life;
  SimCloud cloud;
  SimNetwork network;
  const callbacks::Links links{"https://asyncops.example", std::string(32, 'k')};
  Watcher operations;
  Watcher resources;

 private:
  void Restart();
  bool TryStart();
  ProcessParts PartsOfProcess();
  // What runs while the process stands still: another one takes over, which goes on to be the one.
  void TakeOver();
  void Jump();
  void MakeCalls();
  void FollowWatches();
  void CountCalls();

  const SteadyTime begun_;
  const TempDir directory_;
  std::unique_ptr<storage::Store> disk_;
  std::unique_ptr<storage::Store> store_;  // mortal, on disk_
  std::unique_ptr<apiserver::Registry> registry_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Process> later_;   // took over while process_ stood still
  std::unique_ptr<Process> before_;  // what stood still: it may try on for a while
  int before_steps_ = 0;
  bool called_ = false;  // back, since Events were delivered last
  std::size_t next_jump_ = 0;
  int steps_at_once_ = 0;  // since time moved on
  SteadyTime minute_;      // when the counting of calls began
  int calls_before_ = 0;
  int deaths_before_ = 0;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_WORLD_H_
