#include "tests/support/fake_ids.h"

#include <string_view>

namespace asyncops {
namespace {

// The number in the digits of the alphabet, `width` of them; higher ones are cut off.
std::string Count(std::uint64_t number, std::string_view alphabet, std::size_t width) {
  std::string out(width, alphabet.front());
  for (std::size_t i = width; i > 0 && number > 0; --i, number /= alphabet.size())
    out[i - 1] = alphabet[number % alphabet.size()];
  return out;
}

constexpr std::string_view kHex = "0123456789abcdef";

}  // namespace

std::string FakeIds::Uuid() {
  const MutexLock lock(mutex_);
  return "00000000-0000-4000-8000-" + Count(++uuids_, kHex, 12);
}

std::string FakeIds::Token(std::size_t bytes) {
  const MutexLock lock(mutex_);
  return Count(++tokens_, kHex, 2 * bytes);
}

std::string FakeIds::NameSuffix() {
  const MutexLock lock(mutex_);
  return Count(++suffixes_, "bcdfghjklmnpqrstvwxz2456789", 5);
}

double FakeIds::Fraction() {
  const MutexLock lock(mutex_);
  return fraction_;
}

void FakeIds::SetFraction(double fraction) {
  const MutexLock lock(mutex_);
  fraction_ = fraction;
}

}  // namespace asyncops
