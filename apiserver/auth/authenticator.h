// From a request to a user. Each authenticator speaks for one kind of credential; they are asked in
// order.
#ifndef ASYNCOPS_APISERVER_AUTH_AUTHENTICATOR_H_
#define ASYNCOPS_APISERVER_AUTH_AUTHENTICATOR_H_

#include <memory>
#include <vector>

#include "apiserver/auth/user_info.h"
#include "apiserver/http/request.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Safe for use from several threads; must not block.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // The user; null where the request carries no credential of this kind; Unauthorized where it
  // carries one that does not hold (then nobody else is asked).
  virtual Result<UserPointer> Authenticate(const http::Request& request) const = 0;
};

// Asks each in order and adds system:authenticated. Without any credential: system:anonymous, which
// authorizers let see probes alone.
class UnionAuthenticator final : public Authenticator {
 public:
  explicit UnionAuthenticator(std::vector<std::unique_ptr<Authenticator>> authenticators);
  // Never null.
  Result<UserPointer> Authenticate(const http::Request& request) const override;

 private:
  const std::vector<std::unique_ptr<Authenticator>> authenticators_;
  const UserPointer anonymous_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_AUTHENTICATOR_H_
