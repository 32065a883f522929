// Random names and tokens as a seam, so that tests and simulations are repeatable.
#ifndef ASYNCOPS_BASE_IDS_H_
#define ASYNCOPS_BASE_IDS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace asyncops {

// Safe for use from several threads.
class IdGenerator {
 public:
  virtual ~IdGenerator() = default;
  // A version 4 UUID in lower case, unpredictable.
  virtual std::string Uuid() = 0;
  // `bytes` random bytes as lower-case hex; fit for a secret.
  virtual std::string Token(std::size_t bytes) = 0;
  // Five characters of "bcdfghjklmnpqrstvwxz2456789", as generateName appends.
  virtual std::string NameSuffix() = 0;
  // Uniform in [0, 1), for jitter; may be predicted.
  virtual double Fraction() = 0;
};

// OpenSSL's random generator; for fractions one that it has seeded.
class RandomIds final : public IdGenerator {
 public:
  RandomIds();
  std::string Uuid() override;
  std::string Token(std::size_t bytes) override;
  std::string NameSuffix() override;
  double Fraction() override;

 private:
  std::atomic<std::uint64_t> fractions_;
};

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_IDS_H_
