#include "apiserver/auth/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;

// Answers always the same.
class Fixed final : public ImmediateAuthenticator {
 public:
  explicit Fixed(Authentication answer) : answer_(std::move(answer)) {}
  Authentication Identify(const http::Request& /*request*/) const override { return answer_; }

 private:
  const Authentication answer_;
};

// Answers when the test does.
class Waiting final : public Authenticator {
 public:
  explicit Waiting(AuthenticationCallback* done) : done_(done) {}
  void Authenticate(const http::Request& /*request*/, AuthenticationCallback done) const override {
    *done_ = std::move(done);
  }
  std::optional<Authentication> TryAuthenticate(const http::Request& /*request*/) const override {
    return std::nullopt;
  }

 private:
  AuthenticationCallback* const done_;
};

UserPointer User(std::string name, std::vector<std::string> groups = {}) {
  UserInfo user;
  user.name = std::move(name);
  user.groups = std::move(groups);
  return std::make_shared<const UserInfo>(std::move(user));
}

// Also what Authenticate answers, at once.
Authentication Ask(std::vector<Authentication> answers) {
  std::vector<std::unique_ptr<Authenticator>> all;
  for (Authentication& answer : answers) all.push_back(std::make_unique<Fixed>(answer));
  const UnionAuthenticator asked(std::move(all));
  std::optional<Authentication> answer;
  asked.Authenticate(http::Request(), [&answer](Authentication user) { answer = std::move(user); });
  const Authentication tried = *asked.TryAuthenticate(http::Request());
  EXPECT_EQ(tried.ok(), answer->ok());
  EXPECT_EQ(tried.ok() ? (*tried)->name : "", answer->ok() ? (**answer)->name : "");
  return *answer;
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

// The second of three has to be waited for.
struct UnionWaitingTest : testing::Test {
  UnionWaitingTest() {
    std::vector<std::unique_ptr<Authenticator>> all;
    all.push_back(std::make_unique<Fixed>(UserPointer()));
    all.push_back(std::make_unique<Waiting>(&second));
    all.push_back(std::make_unique<Waiting>(&third));
    all.push_back(std::make_unique<Fixed>(User("last")));
    asked = std::make_unique<UnionAuthenticator>(std::move(all));
    asked->Authenticate(request, [this](Authentication user) { answers.push_back(user); });
  }
  const http::Request request;
  AuthenticationCallback second;
  AuthenticationCallback third;
  std::vector<Authentication> answers;
  std::unique_ptr<UnionAuthenticator> asked;
};

TEST_F(UnionWaitingTest, NobodyIsAskedBeforeTheOneInFrontHasAnswered) {
  EXPECT_FALSE(asked->TryAuthenticate(request));
  EXPECT_TRUE(answers.empty());
  EXPECT_FALSE(third);
  second(UserPointer());
  EXPECT_TRUE(answers.empty());
  third(UserPointer());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ((*answers[0])->name, "last");
  EXPECT_THAT((*answers[0])->groups, ElementsAre("system:authenticated"));
}

TEST_F(UnionWaitingTest, ALateUserOrRefusalEndsTheSearch) {
  second(User("ada"));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_THAT((*answers[0])->groups, ElementsAre("system:authenticated"));
  EXPECT_FALSE(third);
  asked->Authenticate(request, [this](Authentication user) { answers.push_back(user); });
  second(UserPointer());
  third(Status(Reason::kUnauthorized, "no"));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].status().message(), "no");
}

}  // namespace
}  // namespace asyncops::apiserver
