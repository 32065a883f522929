#include "base/ids.h"

#include <string_view>

#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

// apimachinery's util/rand alphabet: no vowels, so that no words arise, and no look-alikes.
constexpr std::string_view kSuffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;

}  // namespace

std::string RandomIds::Uuid() {
  std::string bytes = RandomBytes(16);
  // RFC 9562 5.4: version 4 in the high half of byte 6, variant 10 in the high bits of byte 8.
  bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0FU) | 0x40U);
  bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3FU) | 0x80U);
  std::string out = HexEncode(bytes);
  for (const std::size_t at : {20U, 16U, 12U, 8U}) out.insert(at, 1, '-');
  return out;
}

std::string RandomIds::Token(std::size_t bytes) { return HexEncode(RandomBytes(bytes)); }

std::string RandomIds::NameSuffix() {
  // Bytes from here on would favour the first letters of the alphabet.
  constexpr std::size_t kEven = 256 - 256 % kSuffixAlphabet.size();
  std::string out;
  while (out.size() < kSuffixLength) {
    for (const char c : RandomBytes(kSuffixLength)) {
      const std::size_t byte = static_cast<unsigned char>(c);
      if (byte < kEven && out.size() < kSuffixLength)
        out.push_back(kSuffixAlphabet[byte % kSuffixAlphabet.size()]);
    }
  }
  return out;
}

RandomIds::RandomIds() {
  std::uint64_t seed = 0;
  for (const char c : RandomBytes(sizeof seed)) seed = seed << 8U | static_cast<unsigned char>(c);
  fractions_ = seed;
}

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
double RandomIds::Fraction() {
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;
  std::uint64_t bits = fractions_.fetch_add(kGamma, std::memory_order_relaxed) + kGamma;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111eb;
  bits ^= bits >> 31U;
  // A double holds 53 bits exactly.
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

}  // namespace asyncops
