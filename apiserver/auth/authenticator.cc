#include "apiserver/auth/authenticator.h"

#include <utility>

namespace asyncops::apiserver {
namespace {

UserPointer MakeAnonymous() {
  UserInfo anonymous;
  anonymous.name = kAnonymousUser;
  anonymous.groups.emplace_back(kUnauthenticatedGroup);
  return std::make_shared<const UserInfo>(std::move(anonymous));
}

}  // namespace

UnionAuthenticator::UnionAuthenticator(std::vector<std::unique_ptr<Authenticator>> authenticators)
    : authenticators_(std::move(authenticators)), anonymous_(MakeAnonymous()) {}

Result<UserPointer> UnionAuthenticator::Authenticate(const http::Request& request) const {
  for (const auto& authenticator : authenticators_) {
    Result<UserPointer> user = authenticator->Authenticate(request);
    if (!user.ok()) return user.status();
    if (*user == nullptr) continue;
    if ((*user)->InGroup(kAuthenticatedGroup)) return user;
    return MakeAuthenticated(**user);
  }
  return anonymous_;
}

}  // namespace asyncops::apiserver
