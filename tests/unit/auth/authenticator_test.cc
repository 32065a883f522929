#include "apiserver/auth/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;

// Answers always the same.
class Fixed final : public Authenticator {
 public:
  explicit Fixed(Result<UserPointer> answer) : answer_(std::move(answer)) {}
  Result<UserPointer> Authenticate(const http::Request& /*request*/) const override {
    return answer_;
  }

 private:
  const Result<UserPointer> answer_;
};

UserPointer User(std::string name, std::vector<std::string> groups = {}) {
  UserInfo user;
  user.name = std::move(name);
  user.groups = std::move(groups);
  return std::make_shared<const UserInfo>(std::move(user));
}

Result<UserPointer> Ask(std::vector<Result<UserPointer>> answers) {
  std::vector<std::unique_ptr<Authenticator>> all;
  for (Result<UserPointer>& answer : answers) all.push_back(std::make_unique<Fixed>(answer));
  return UnionAuthenticator(std::move(all)).Authenticate(http::Request());
}

TEST(UnionAuthenticatorTest, TakesTheFirstWhoKnowsTheUser) {
  const auto user = Ask({UserPointer(), User("ada", {"ops"}), User("bob")});
  ASSERT_TRUE(user.ok());
  EXPECT_EQ((*user)->name, "ada");
  EXPECT_THAT((*user)->groups, ElementsAre("ops", "system:authenticated"));
}

TEST(UnionAuthenticatorTest, AddsTheAuthenticatedGroupOnce) {
  const auto user = Ask({User("ada", {"system:authenticated", "ops"})});
  EXPECT_THAT((*user)->groups, ElementsAre("system:authenticated", "ops"));
}

TEST(UnionAuthenticatorTest, ACredentialThatDoesNotHoldEndsTheSearch) {
  const auto user = Ask({Status(Reason::kUnauthorized, "Unauthorized"), User("ada")});
  EXPECT_EQ(user.status().reason(), Reason::kUnauthorized);
}

TEST(UnionAuthenticatorTest, WithoutACredentialIsAnonymous) {
  const auto user = Ask({UserPointer()});
  ASSERT_TRUE(user.ok());
  EXPECT_EQ((*user)->name, "system:anonymous");
  EXPECT_THAT((*user)->groups, ElementsAre("system:unauthenticated"));
}

}  // namespace
}  // namespace asyncops::apiserver
