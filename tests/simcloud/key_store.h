// The answers that were given under idempotency keys.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_KEY_STORE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_KEY_STORE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "tests/simcloud/message.h"

namespace asyncops::simcloud {

// The key in an Idempotency-Key header, bare or as a quoted string; nothing where it is empty or
// longer than 255 bytes.
std::optional<std::string> ParseIdempotencyKey(std::string_view header);

// Not thread-safe. The cloud's bound on operations bounds this too.
class KeyStore {
 public:
  // What to answer to a request under a key that was used before: the first answer, 409 while that
  // one is held back, or 422 where the request (its fingerprint) is another one. Nothing for a new
  // key.
  std::optional<Reply> Find(const std::string& key, std::string_view fingerprint,
                            SteadyTime now) const;
  // Keeps an answer, which leaves at `answered_at`, until `forgotten_at`.
  void Remember(const std::string& key, std::string_view fingerprint, const Reply& reply,
                SteadyTime answered_at, SteadyTime forgotten_at);
  void Clear() { entries_.clear(); }

 private:
  struct Entry {
    std::string fingerprint;
    Reply reply;
    SteadyTime answered_at;
    SteadyTime forgotten_at;
  };
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_KEY_STORE_H_
