// All chance of a simulation comes from one seed.
#ifndef ASYNCOPS_TESTS_SIM_DICE_H_
#define ASYNCOPS_TESTS_SIM_DICE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/ids.h"

namespace asyncops::sim {

// The same seed gives the same throws on every machine. For one thread.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next();
  // 0 to n - 1; `n` is positive.
  int Below(int n);
  bool Chance(int per_mille) { return Below(1000) < per_mille; }
  // Both ends are in it.
  Duration Between(Duration least, Duration most);
  // Dice of their own: what they throw moves these on once.
  Dice Fork() { return Dice(Next()); }

 private:
  std::uint64_t state_;
};

// Names and jitter by dice. It lives through crashes, so that no process draws what another drew.
class DiceIds final : public IdGenerator {
 public:
  explicit DiceIds(Dice dice) : dice_(dice) {}

  std::string Uuid() override;
  std::string Token(std::size_t bytes) override;
  std::string NameSuffix() override;
  double Fraction() override;

 private:
  Dice dice_;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_DICE_H_
