// Bearer tokens from a static file, as kube-apiserver's --token-auth-file.
#ifndef ASYNCOPS_APISERVER_AUTH_TOKEN_FILE_H_
#define ASYNCOPS_APISERVER_AUTH_TOKEN_FILE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/auth/authenticator.h"

namespace asyncops::apiserver {

// Users by the SHA-256 of their token, so that neither memory nor timing tells a token.
class TokenAuthenticator final : public ImmediateAuthenticator {
 public:
  // Lines of `token,user,uid[,"group1,group2"]`; blank lines and lines that start with '#' are
  // passed over. BadRequest with the line's number where one does not read so; never with the
  // token.
  static Result<std::unique_ptr<Authenticator>> Parse(std::string_view csv);

  // Speaks for `Authorization: Bearer ...` alone.
  Authentication Identify(const http::Request& request) const override;

 private:
  explicit TokenAuthenticator(std::map<std::string, UserPointer> users)
      : users_(std::move(users)) {}

  const std::map<std::string, UserPointer> users_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_TOKEN_FILE_H_
