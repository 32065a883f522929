// Access tokens by OAuth 2.0's client credentials grant (RFC 6749, 4.4): asked for once, used until
// they end.
#ifndef ASYNCOPS_RECONCILER_OAUTH2_TOKEN_H_
#define ASYNCOPS_RECONCILER_OAUTH2_TOKEN_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/uri.h"
#include "kube/http_transport.h"

namespace asyncops::reconciler {

// What asks for a token. A value; never logged, never stored.
struct TokenGrant {
  // Of whom the token is: tokens are shared between calls of one owner that ask alike.
  std::string owner;
  Uri url;
  std::string client_id;
  std::string client_secret;
  std::vector<std::string> scopes;
  bool in_body = false;  // client_secret_post; else client_secret_basic
  std::shared_ptr<const kube::TlsSettings> tls;
  std::chrono::milliseconds timeout{30000};
};

// A token, or why there is none.
struct TokenAnswer {
  std::string token;
  std::string error;  // one plain sentence without secrets; "" with a token
  std::string code;   // of an error: TokenRequestFailed, or the transport's AddressRefused
  std::optional<Duration> retry_after;  // of an error, where the token server says so
};

// Tokens in memory, by owner, client and scopes: a Secret that changes leads to a new token. Safe
// for use from several threads.
class TokenCache {
 public:
  using Sender = std::function<kube::Exchange(const kube::OutboundRequest&)>;

  // The clock outlives it.
  explicit TokenCache(const Clock& clock) : clock_(clock) {}

  // A token that is good for some time yet. Asks for one through `send` where there is none; of
  // several threads one asks and the others wait for it, so this blocks for a request's timeout at
  // most. A failure is kept for a few seconds: who waited does not ask again. While a token still
  // holds, a failure to renew it is no failure.
  TokenAnswer Get(const TokenGrant& grant, const Sender& send) ASYNCOPS_EXCLUDES(mutex_);

  // The system refused this token: the next Get asks for another, unless somebody did meanwhile.
  void Drop(const TokenGrant& grant, std::string_view token) ASYNCOPS_EXCLUDES(mutex_);

 private:
  struct Entry {
    bool asking = false;
    TokenAnswer answer;
    SteadyTime renew_at;  // of a failure: when to ask again
    SteadyTime ends_at;
    SteadyTime used_at;
  };

  void Forget(SteadyTime now) ASYNCOPS_REQUIRES(mutex_);
  void Keep(const std::string& key, Entry fresh) ASYNCOPS_EXCLUDES(mutex_);

  const Clock& clock_;

  Mutex mutex_;
  CondVar answered_;
  std::map<std::string, Entry> entries_ ASYNCOPS_GUARDED_BY(mutex_);  // by a hash of the grant
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OAUTH2_TOKEN_H_
