#include "apiserver/auth/authenticator.h"

#include <utility>

namespace asyncops::apiserver {

Result<std::optional<UserInfo>> UnionAuthenticator::Authenticate(
    const http::Request& request) const {
  for (const auto& authenticator : authenticators_) {
    Result<std::optional<UserInfo>> result = authenticator->Authenticate(request);
    if (!result.ok()) return result.status();
    if (!result->has_value()) continue;
    UserInfo user = std::move(**result);
    if (!user.InGroup(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
    return std::optional<UserInfo>(std::move(user));
  }
  UserInfo anonymous;
  anonymous.name = kAnonymousUser;
  anonymous.groups.emplace_back(kUnauthenticatedGroup);
  return std::optional<UserInfo>(std::move(anonymous));
}

}  // namespace asyncops::apiserver
