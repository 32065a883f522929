#include "apiserver/auth/impersonation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Notes what it is asked, and refuses the name "forbidden".
struct NotingAuthorizer final : Authorizer {
  void Authorize(const Attributes& asked, std::function<void(Decision)> done) const override {
    EXPECT_TRUE(asked.resource_request);
    EXPECT_EQ(asked.verb, "impersonate");
    EXPECT_EQ(asked.version, "v1");
    EXPECT_EQ(asked.user->name, "boss");
    std::string text(asked.resource);
    if (!asked.group.empty()) text.append(".").append(asked.group);
    if (!asked.subresource.empty()) text.append("/").append(asked.subresource);
    if (!asked.namespace_name.empty()) text.append(" ").append(asked.namespace_name);
    seen.push_back(text + " " + std::string(asked.name));
    done({.allowed = asked.name != "forbidden", .reason = "not so"});
  }
  mutable std::vector<std::string> seen;
};

struct ImpersonationTest : testing::Test {
  Result<UserPointer> Ask(const std::vector<std::pair<std::string, std::string>>& given) {
    http::Headers headers;
    for (const auto& [name, value] : given) headers.Add(name, value);
    EXPECT_TRUE(AsksToImpersonate(headers));
    UserInfo boss;
    boss.name = "boss";
    std::optional<Result<UserPointer>> answer;
    Impersonate(authorizer, MakeAuthenticated(std::move(boss)), headers,
                [&answer](Result<UserPointer> acting) { answer = std::move(acting); });
    return *answer;
  }
  NotingAuthorizer authorizer;
};

TEST_F(ImpersonationTest, EachAttributeIsAskedFor) {
  const auto acting = Ask({{"impersonate-user", "ada"},
                           {"Impersonate-Group", "dev"},
                           {"Impersonate-Group", "ops"},
                           {"Impersonate-Uid", "u-1"},
                           {"Impersonate-Extra-Example.com%2fScope", "a"},
                           {"Impersonate-Extra-example.com%2Fscope", "b"}});
  ASSERT_TRUE(acting.ok());
  EXPECT_EQ((*acting)->name, "ada");
  EXPECT_EQ((*acting)->uid, "u-1");
  EXPECT_THAT((*acting)->groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_THAT((*acting)->extra.at("example.com/scope"), ElementsAre("a", "b"));
  EXPECT_THAT(authorizer.seen,
              ElementsAre("users ada", "uids.authentication.k8s.io u-1", "groups dev", "groups ops",
                          "userextras.authentication.k8s.io/example.com/scope a",
                          "userextras.authentication.k8s.io/example.com/scope b"));
}

TEST_F(ImpersonationTest, AServiceAccountIsOneAndHasItsGroups) {
  const auto acting = Ask({{"Impersonate-User", "system:serviceaccount:team-a:robot"}});
  ASSERT_TRUE(acting.ok());
  EXPECT_THAT((*acting)->groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:team-a",
                          "system:authenticated"));
  EXPECT_THAT(authorizer.seen, ElementsAre("serviceaccounts team-a robot"));
  authorizer.seen.clear();
  ASSERT_TRUE(Ask({{"Impersonate-User", "system:serviceaccount::robot"}}).ok());
  EXPECT_THAT(authorizer.seen, ElementsAre("users system:serviceaccount::robot"));
}

TEST_F(ImpersonationTest, NobodyIsNotAuthenticated) {
  const auto acting = Ask({{"Impersonate-User", "system:anonymous"}});
  ASSERT_TRUE(acting.ok());
  EXPECT_THAT((*acting)->groups, ElementsAre("system:unauthenticated"));
}

TEST_F(ImpersonationTest, OneRefusalIsEnough) {
  const auto acting = Ask({{"Impersonate-User", "ada"},
                           {"Impersonate-Group", "forbidden"},
                           {"Impersonate-Group", "ops"}});
  EXPECT_EQ(acting.status().reason(), Reason::kForbidden);
  EXPECT_EQ(acting.status().message(),
            "groups \"forbidden\" is forbidden: User \"boss\" cannot impersonate resource "
            "\"groups\" in API group \"\" at the cluster scope: not so");
  EXPECT_THAT(authorizer.seen, ElementsAre("users ada", "groups forbidden"));
}

TEST_F(ImpersonationTest, HeadersThatMakeNoUserAreRefused) {
  std::vector<std::pair<std::string, std::string>> many(101, {"Impersonate-Group", "g"});
  many.emplace_back("Impersonate-User", "ada");
  const std::vector<std::vector<std::pair<std::string, std::string>>> table = {
      {{"Impersonate-Group", "dev"}},
      {{"Impersonate-User", ""}},
      {{"Impersonate-Uid", "u"}},
      {{"Impersonate-Extra-a", "b"}},
      {{"Impersonate-Anything", "b"}},
      {{"Impersonate-User", "a"}, {"Impersonate-User", "b"}},
      {{"Impersonate-User", "a"}, {"Impersonate-Uid", "u"}, {"Impersonate-Uid", "v"}},
      many,
  };
  for (const auto& headers : table) {
    EXPECT_EQ(Ask(headers).status().reason(), Reason::kBadRequest) << headers.front().first;
    EXPECT_THAT(authorizer.seen, IsEmpty());
  }
  http::Headers none;
  none.Add("X-Impersonate-User", "a");
  EXPECT_FALSE(AsksToImpersonate(none));
}

}  // namespace
}  // namespace asyncops::apiserver
