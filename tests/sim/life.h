// The life of the simulated process: when it ends, and the store as it sees it.
#ifndef ASYNCOPS_TESTS_SIM_LIFE_H_
#define ASYNCOPS_TESTS_SIM_LIFE_H_

#include <memory>
#include <string>
#include <string_view>

#include "storage/store.h"
#include "tests/sim/dice.h"
#include "tests/sim/journal.h"
#include "tests/support/forwarding_store.h"

namespace asyncops::sim {

// A process may die before and after each write and each call: that is between any two steps that
// leave a trace. It is over at once: nothing that it still does gets out. For one thread.
class Life {
 public:
  Life(Dice dice, Journal* journal) : dice_(dice), journal_(*journal) {}

  // In how many of a thousand steps it dies from now on, and a write is refused.
  void SetDanger(int death_per_mille, int refusal_per_mille);
  // A step that could be the last; whether the process is dead then.
  bool Passes(std::string_view step);
  bool dead() const { return dead_; }
  bool RefusesWrite() { return refusal_per_mille_ > 0 && dice_.Chance(refusal_per_mille_); }
  // The next process.
  void Begin() { dead_ = false; }
  int deaths() const { return deaths_; }

 private:
  Dice dice_;
  Journal& journal_;
  int death_per_mille_ = 0;
  int refusal_per_mille_ = 0;
  bool dead_ = false;
  int deaths_ = 0;
};

// A store whose writes are steps of a life. Death before a write leaves nothing of it; death after
// it leaves it on disk, and nobody who waited hears of it.
class MortalStore final : public ForwardingStore {
 public:
  // Both outlive it.
  MortalStore(storage::Store& store, Life& life) : ForwardingStore(store), life_(life) {}

  void Write(storage::WriteFunction write, storage::WriteDone done) override;

 private:
  Life& life_;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_LIFE_H_
