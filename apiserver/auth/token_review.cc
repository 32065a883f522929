#include "apiserver/auth/token_review.h"

#include <utility>

#include "apiserver/auth/bearer_token.h"
#include "base/crypto.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kPath = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr std::size_t kMaxCached = 4096;

Status Unauthorized() { return {Reason::kUnauthorized, "Unauthorized"}; }

Json ReviewOf(std::string_view token) {
  return Json::Of({{"apiVersion", "authentication.k8s.io/v1"},
                   {"kind", "TokenReview"},
                   {"spec", Json::Of({{"token", token}})}});
}

// The strings of a list; nothing else counts.
std::vector<std::string> StringsOf(const Json* list) {
  std::vector<std::string> out;
  if (list == nullptr || !list->is_array()) return out;
  for (const Json& each : list->as_array()) {
    if (each.is_string()) out.push_back(each.as_string());
  }
  return out;
}

Authentication Judge(const Json& review) {
  const Json* authenticated = review.FindPath({"status", "authenticated"});
  const Json* named = review.FindPath({"status", "user"});
  const bool good = authenticated != nullptr && authenticated->is_bool() &&
                    authenticated->as_bool() && named != nullptr &&
                    !named->StringAt({"username"}).empty();
  if (!good) return Unauthorized();
  UserInfo user;
  user.name = named->StringAt({"username"});
  user.uid = named->StringAt({"uid"});
  user.groups = StringsOf(named->Find("groups"));
  const Json* extra = named->Find("extra");
  if (extra != nullptr && extra->is_object()) {
    for (const auto& [key, values] : extra->as_object()) user.extra[key] = StringsOf(&values);
  }
  return MakeAuthenticated(std::move(user));
}

}  // namespace

TokenReviewAuthenticator::TokenReviewAuthenticator(ReviewQueue& queue, const Clock& clock)
    : queue_(queue), clock_(clock), cache_(std::make_shared<Cache>(kMaxCached)) {}

std::optional<Authentication> TokenReviewAuthenticator::TryAuthenticate(
    const http::Request& request) const {
  const std::optional<std::string_view> token = BearerTokenOf(request);
  if (!token) return Authentication(UserPointer());
  if (token->empty()) return Authentication(Unauthorized());
  return cache_->Find(Sha256(*token), clock_.SteadyNow());
}

void TokenReviewAuthenticator::Authenticate(const http::Request& request,
                                            AuthenticationCallback done) const {
  if (std::optional<Authentication> known = TryAuthenticate(request))
    return done(*std::move(known));
  const std::string_view token = *BearerTokenOf(request);
  const std::string key = Sha256(token);
  // Made first: the request may be gone once somebody waits.
  const Json review = ReviewOf(token);
  if (!cache_->Wait(key, std::move(done))) return;
  const auto answer = [cache = cache_, key, &clock = clock_](const Result<Json>& reviewed) {
    if (reviewed.ok()) return cache->Answer(key, Judge(*reviewed), clock.SteadyNow() + kReviewTtl);
    Log(LogLevel::kWarning, "token review failed", {{"error", reviewed.status().ToString()}});
    const bool busy = reviewed.status().reason() == Reason::kTooManyRequests;
    cache->Answer(key, busy ? reviewed.status() : Unauthorized(), SteadyTime::min());
  };
  queue_.Post(std::string(kPath), review, answer);
}

}  // namespace asyncops::apiserver
