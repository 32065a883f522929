// From a request to a user. Each authenticator speaks for one kind of credential; they are asked in
// order.
#ifndef ASYNCOPS_APISERVER_AUTH_AUTHENTICATOR_H_
#define ASYNCOPS_APISERVER_AUTH_AUTHENTICATOR_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apiserver/auth/user_info.h"
#include "apiserver/http/request.h"
#include "base/status.h"

namespace asyncops::apiserver {

// The user; null where the request carries no credential of this kind; Unauthorized where it
// carries one that does not hold (then nobody else is asked). TooManyRequests is the client's to
// hear; any other failure counts as Unauthorized.
using Authentication = Result<UserPointer>;
using AuthenticationCallback = std::function<void(Authentication)>;

// Safe for use from several threads; must not block.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Calls `done` exactly once, at once or later, on any thread. The request lives until then.
  virtual void Authenticate(const http::Request& request, AuthenticationCallback done) const = 0;
  // What Authenticate would answer, where that is known without waiting; nothing where it must be
  // asked.
  virtual std::optional<Authentication> TryAuthenticate(const http::Request& request) const = 0;
};

// One that never waits.
class ImmediateAuthenticator : public Authenticator {
 public:
  virtual Authentication Identify(const http::Request& request) const = 0;
  void Authenticate(const http::Request& request, AuthenticationCallback done) const final {
    done(Identify(request));
  }
  std::optional<Authentication> TryAuthenticate(const http::Request& request) const final {
    return Identify(request);
  }
};

// Asks each in order and adds system:authenticated. Without any credential: system:anonymous, which
// authorizers let see probes alone.
class UnionAuthenticator final : public Authenticator {
 public:
  explicit UnionAuthenticator(std::vector<std::unique_ptr<Authenticator>> authenticators);
  // Never null.
  void Authenticate(const http::Request& request, AuthenticationCallback done) const override;
  std::optional<Authentication> TryAuthenticate(const http::Request& request) const override;

 private:
  struct Search;  // one request that waits for one of them

  // Asks those from `*index` on that need no waiting; nothing where the one at `*index` must be
  // waited for.
  std::optional<Authentication> TryFrom(const http::Request& request, std::size_t* index) const;
  void Continue(const std::shared_ptr<Search>& search) const;

  const std::vector<std::unique_ptr<Authenticator>> authenticators_;
  const UserPointer anonymous_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_AUTHENTICATOR_H_
