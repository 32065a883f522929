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

// `user` is a failure or a user.
Authentication WithGroup(Authentication user) {
  if (!user.ok() || (*user)->InGroup(kAuthenticatedGroup)) return user;
  return MakeAuthenticated(**user);
}

}  // namespace

UnionAuthenticator::UnionAuthenticator(std::vector<std::unique_ptr<Authenticator>> authenticators)
    : authenticators_(std::move(authenticators)), anonymous_(MakeAnonymous()) {}

struct UnionAuthenticator::Search {
  const http::Request& request;
  std::size_t index;  // of the one that is asked
  AuthenticationCallback done;
};

std::optional<Authentication> UnionAuthenticator::TryFrom(const http::Request& request,
                                                          std::size_t* index) const {
  for (; *index < authenticators_.size(); ++*index) {
    std::optional<Authentication> user = authenticators_[*index]->TryAuthenticate(request);
    if (!user) return std::nullopt;
    if (!user->ok() || **user != nullptr) return WithGroup(*std::move(user));
  }
  return anonymous_;
}

std::optional<Authentication> UnionAuthenticator::TryAuthenticate(
    const http::Request& request) const {
  std::size_t index = 0;
  return TryFrom(request, &index);
}

void UnionAuthenticator::Authenticate(const http::Request& request,
                                      AuthenticationCallback done) const {
  std::size_t index = 0;
  if (std::optional<Authentication> user = TryFrom(request, &index)) return done(*std::move(user));
  // Shared because std::function copies what it captures.
  Continue(std::make_shared<Search>(Search{request, index, std::move(done)}));
}

void UnionAuthenticator::Continue(const std::shared_ptr<Search>& search) const {
  authenticators_[search->index]->Authenticate(
      search->request, [this, search](Authentication user) {
        if (!user.ok() || *user != nullptr) return search->done(WithGroup(std::move(user)));
        ++search->index;
        std::optional<Authentication> next = TryFrom(search->request, &search->index);
        if (next) return search->done(*std::move(next));
        Continue(search);
      });
}

}  // namespace asyncops::apiserver
