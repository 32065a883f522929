// Names and tokens that count up, so that a test can say which ones it expects.
#ifndef ASYNCOPS_TESTS_SUPPORT_FAKE_IDS_H_
#define ASYNCOPS_TESTS_SUPPORT_FAKE_IDS_H_

#include "base/ids.h"
#include "base/mutex.h"

namespace asyncops {

// Each function has its own sequence. Safe for use from several threads.
class FakeIds final : public IdGenerator {
 public:
  // "00000000-0000-4000-8000-000000000001", then ...2; 12 hex digits count.
  std::string Uuid() override ASYNCOPS_EXCLUDES(mutex_);
  // "0000...01", then ...02: the count as hex in 2 * `bytes` digits.
  std::string Token(std::size_t bytes) override ASYNCOPS_EXCLUDES(mutex_);
  // "bbbbc", then "bbbbd": the count in the alphabet of IdGenerator::NameSuffix.
  std::string NameSuffix() override ASYNCOPS_EXCLUDES(mutex_);
  // The value of SetFraction; 0.5 at first, which most jitters take for "none".
  double Fraction() override ASYNCOPS_EXCLUDES(mutex_);

  // `fraction` in [0, 1).
  void SetFraction(double fraction) ASYNCOPS_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::uint64_t uuids_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  std::uint64_t tokens_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  std::uint64_t suffixes_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  double fraction_ ASYNCOPS_GUARDED_BY(mutex_) = 0.5;
};

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_FAKE_IDS_H_
