#include "reconciler/oauth2_token.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"
#include "base/json.h"
#include "reconciler/retry_after.h"

namespace asyncops::reconciler {
namespace {

using Outcome = kube::Exchange::Outcome;

constexpr std::string_view kFailed = "TokenRequestFailed";
// A token is renewed this long before it ends, or after 9/10 of its life where that is short.
constexpr std::chrono::seconds kMargin{60};
// Of a token whose server does not say how long it lives, and the most that is believed.
constexpr std::chrono::minutes kDefaultLife{5};
constexpr std::chrono::hours kMaxLife{24};
constexpr std::chrono::seconds kFailureHold{5};
constexpr std::chrono::minutes kRefusedDelay{5};
constexpr std::size_t kMaxEntries = 1024;
constexpr std::size_t kMaxTokenBytes = 16u * 1024;
constexpr std::size_t kMaxAnswerBytes = 64u * 1024;

// As application/x-www-form-urlencoded has it, which RFC 6749 asks for in Basic as well.
std::string FormEncode(std::string_view text) {
  std::string out = PercentEncode(text);
  std::size_t at = 0;
  while ((at = out.find("%20", at)) != std::string::npos) out.replace(at, 3, "+");
  return out;
}

std::string KeyOf(const TokenGrant& grant) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text.append(std::to_string(part.size())).append(":").append(part);
  };
  for (const std::string& part :
       {grant.owner, grant.url.ToString(), grant.client_id, grant.client_secret})
    add(part);
  for (const std::string& scope : grant.scopes) add(scope);
  add(grant.in_body ? "body" : "basic");
  return Sha256(text);
}

kube::OutboundRequest RequestOf(const TokenGrant& grant) {
  kube::OutboundRequest request;
  request.method = "POST";
  request.uri = grant.url;
  request.tls = grant.tls;
  request.timeout = grant.timeout;
  request.max_body_bytes = kMaxAnswerBytes;
  request.headers = {{"Accept", "application/json"},
                     {"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = "grant_type=client_credentials";
  std::string scopes;
  for (const std::string& scope : grant.scopes) scopes += (scopes.empty() ? "" : " ") + scope;
  if (!scopes.empty()) request.body += "&scope=" + FormEncode(scopes);
  const std::string id = FormEncode(grant.client_id);
  const std::string secret = FormEncode(grant.client_secret);
  if (grant.in_body) {
    request.body += "&client_id=" + id + "&client_secret=" + secret;
  } else {
    request.headers.emplace_back("Authorization", "Basic " + Base64Encode(id + ":" + secret));
  }
  return request;
}

// The error code of RFC 6749, 5.2, which is no place for anything else: "" where it is not one.
std::string ErrorCode(const Json& body) {
  const std::string_view code = body.StringAt({"error"});
  const bool plain =
      !code.empty() && code.size() <= 64 && std::all_of(code.begin(), code.end(), [](char c) {
        return IsAlphanumeric(c) || c == '_' || c == '-' || c == '.';
      });
  return plain ? std::string(code) : "";
}

TokenAnswer Failure(const TokenGrant& grant, const std::string& what) {
  TokenAnswer answer;
  answer.code = kFailed;
  answer.error = "the token endpoint at " + grant.url.Origin() + " " + what;
  return answer;
}

// Seconds, as a number or (some servers) its text; nothing where there is none.
std::optional<Duration> LifeOf(const Json& body) {
  const Json* given = body.Find("expires_in");
  if (given == nullptr) return std::nullopt;
  std::int64_t seconds = -1;
  if (given->is_int()) seconds = given->as_int();
  if (given->is_string()) {
    const std::string& text = given->as_string();
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  if (seconds < 0) return std::nullopt;
  const std::int64_t most = std::chrono::seconds(kMaxLife).count();
  return std::chrono::seconds(std::min(seconds, most));
}

bool IsSendable(std::string_view token) {
  return !token.empty() && token.size() <= kMaxTokenBytes &&
         std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// What the exchange gave; `life` of a token.
TokenAnswer Read(const TokenGrant& grant, const kube::Exchange& exchange, Time now,
                 std::optional<Duration>* life) {
  if (exchange.outcome != Outcome::kAnswered) {
    TokenAnswer answer = Failure(grant, "did not answer: " + exchange.error);
    // Not a matter of time: the reconciler waits longer for it.
    if (exchange.code == "AddressRefused") answer.code = exchange.code;
    return answer;
  }
  const kube::OutboundResponse& response = exchange.response;
  const std::string status = "HTTP " + std::to_string(response.status);
  const Result<Json> body = ParseJson(response.body);
  if (response.status != 200) {
    const std::string code = body.ok() ? ErrorCode(*body) : "";
    TokenAnswer answer =
        Failure(grant, "refused: " + (code.empty() ? status : code + " (" + status + ")"));
    answer.retry_after = ParseRetryAfter(response.headers, now);
    // The client was refused: as with the system's own 401, a person must mend it.
    const bool refused = response.status >= 400 && response.status < 500;
    if (refused && response.status != 429 && !answer.retry_after)
      answer.retry_after = kRefusedDelay;
    return answer;
  }
  if (!body.ok() || !body->is_object()) return Failure(grant, "answered no JSON object");
  const std::string_view token = body->StringAt({"access_token"});
  if (!IsSendable(token)) return Failure(grant, "answered no access_token that can be sent");
  const std::string_view type = body->StringAt({"token_type"});
  if (!type.empty() && !EqualsIgnoreCase(type, "Bearer"))
    return Failure(grant, "answered a token_type other than Bearer");
  *life = LifeOf(*body);
  TokenAnswer answer;
  answer.token = token;
  return answer;
}

}  // namespace

TokenAnswer TokenCache::Get(const TokenGrant& grant, const Sender& send) {
  const std::string key = KeyOf(grant);
  TokenAnswer old;
  SteadyTime old_ends{};
  {
    const MutexLock lock(mutex_);
    bool waited = false;
    for (;;) {
      Entry& entry = entries_[key];
      const SteadyTime now = clock_.SteadyNow();
      entry.used_at = now;
      const bool fresh = !entry.answer.token.empty() || !entry.answer.error.empty();
      // Who waited for an answer takes it, even one that is good for no time at all.
      if (!entry.asking && fresh && (waited || now < entry.renew_at)) return entry.answer;
      // One renews; the others go on with what still holds.
      if (entry.asking && !entry.answer.token.empty() && now < entry.ends_at) return entry.answer;
      if (!entry.asking) {
        entry.asking = true;
        old = entry.answer;
        old_ends = entry.ends_at;
        break;
      }
      answered_.Wait(mutex_);
      waited = true;
    }
    Forget(clock_.SteadyNow());
  }
  std::optional<Duration> life;
  const kube::Exchange exchange = send(RequestOf(grant));
  Entry fresh;
  fresh.answer = Read(grant, exchange, clock_.Now(), &life);
  const SteadyTime now = clock_.SteadyNow();
  fresh.used_at = now;
  if (!fresh.answer.token.empty()) {
    const Duration whole = life.value_or(kDefaultLife);
    fresh.ends_at = now + whole;
    fresh.renew_at = fresh.ends_at - std::min<Duration>(kMargin, whole / 10);
  } else {
    fresh.renew_at = now + kFailureHold;
    if (!old.token.empty() && now < old_ends) {
      fresh.answer = old;
      fresh.ends_at = old_ends;
    }
  }
  TokenAnswer answer = fresh.answer;
  Keep(key, std::move(fresh));
  return answer;
}

void TokenCache::Keep(const std::string& key, Entry fresh) {
  const MutexLock lock(mutex_);
  entries_[key] = std::move(fresh);
  answered_.NotifyAll();
}

void TokenCache::Drop(const TokenGrant& grant, std::string_view token) {
  const std::string key = KeyOf(grant);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found != entries_.end() && !found->second.asking && found->second.answer.token == token)
    entries_.erase(found);
}

void TokenCache::Forget(SteadyTime now) {
  std::erase_if(entries_, [now](const auto& item) {
    return !item.second.asking && now >= item.second.ends_at && now >= item.second.renew_at;
  });
  while (entries_.size() > kMaxEntries) {
    auto oldest = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      const bool older = oldest == entries_.end() || at->second.used_at < oldest->second.used_at;
      if (!at->second.asking && older) oldest = at;
    }
    if (oldest == entries_.end()) return;
    entries_.erase(oldest);
  }
}

}  // namespace asyncops::reconciler
