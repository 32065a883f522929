#include "tests/simcloud/key_store.h"

namespace asyncops::simcloud {
namespace {

// What deployed APIs allow (Stripe's bound, for one).
constexpr std::size_t kMaxKeyBytes = 255;

}  // namespace

std::optional<std::string> ParseIdempotencyKey(std::string_view header) {
  if (header.size() >= 2 && header.front() == '"' && header.back() == '"') {
    header = header.substr(1, header.size() - 2);
  }
  if (header.empty() || header.size() > kMaxKeyBytes) return std::nullopt;
  return std::string(header);
}

std::optional<Reply> KeyStore::Find(const std::string& key, std::string_view fingerprint,
                                    SteadyTime now) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (now >= entry.forgotten_at) return std::nullopt;
  if (entry.fingerprint != fingerprint) {
    return ErrorReply(422, "KeyReused", "the idempotency key was used for another request");
  }
  if (now < entry.answered_at) {
    return ErrorReply(409, "RequestInProgress",
                      "the first request under this idempotency key is not answered yet");
  }
  Reply reply = entry.reply;
  reply.headers.emplace_back("Idempotency-Replayed", "true");
  return reply;
}

void KeyStore::Remember(const std::string& key, std::string_view fingerprint, const Reply& reply,
                        SteadyTime answered_at, SteadyTime forgotten_at) {
  entries_.insert_or_assign(key, Entry{std::string(fingerprint), reply, answered_at, forgotten_at});
}

}  // namespace asyncops::simcloud
