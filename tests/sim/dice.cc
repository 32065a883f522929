#include "tests/sim/dice.h"

#include <string_view>

namespace asyncops::sim {

// SplitMix64 (Steele, Lea, Flood 2014): one word of state, and every seed is as good as another.
std::uint64_t Dice::Next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

int Dice::Below(int n) { return static_cast<int>(Next() % static_cast<std::uint64_t>(n)); }

Duration Dice::Between(Duration least, Duration most) {
  const auto width = static_cast<std::uint64_t>((most - least).count()) + 1;
  return least + Duration(static_cast<Duration::rep>(Next() % width));
}

std::string DiceIds::Token(std::size_t bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string token;
  while (token.size() < 2 * bytes) token += kHex[dice_.Next() & 0xFU];
  return token;
}

std::string DiceIds::Uuid() {
  const std::string digits = Token(16);
  return digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-4" + digits.substr(13, 3) + "-8" +
         digits.substr(17, 3) + "-" + digits.substr(20);
}

std::string DiceIds::NameSuffix() {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  while (suffix.size() < 5)
    suffix += kLetters[static_cast<std::size_t>(dice_.Below(static_cast<int>(kLetters.size())))];
  return suffix;
}

double DiceIds::Fraction() { return static_cast<double>(dice_.Below(1'000'000)) / 1e6; }

}  // namespace asyncops::sim
