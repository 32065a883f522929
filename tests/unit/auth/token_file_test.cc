#include "apiserver/auth/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

http::Request WithHeader(std::string value) {
  http::Request request;
  request.headers.Add("Authorization", std::move(value));
  return request;
}

constexpr std::string_view kFile =
    "# who may come in\n"
    "\n"
    "t1,ada,uid-1,\"ops, dev\"\r\n"
    "\"t,2\",bob,uid-2\n"
    "t3,eve,,solo";

TEST(TokenFileTest, KnowsUsersByTheirTokens) {
  const auto tokens = TokenAuthenticator::Parse(kFile);
  ASSERT_TRUE(tokens.ok()) << tokens.status().ToString();
  const auto ada = *(*tokens)->TryAuthenticate(WithHeader("Bearer t1"));
  ASSERT_TRUE(ada.ok());
  EXPECT_EQ((*ada)->name, "ada");
  EXPECT_EQ((*ada)->uid, "uid-1");
  EXPECT_THAT((*ada)->groups, ElementsAre("ops", "dev", "system:authenticated"));
  EXPECT_EQ((**(*tokens)->TryAuthenticate(WithHeader("bEARER  t,2")))->name, "bob");
  EXPECT_THAT((**(*tokens)->TryAuthenticate(WithHeader("Bearer t3")))->groups,
              ElementsAre("solo", "system:authenticated"));
}

TEST(TokenFileTest, SpeaksForBearersAlone) {
  const auto tokens = TokenAuthenticator::Parse(kFile);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(**(*tokens)->TryAuthenticate(http::Request()), nullptr);
  EXPECT_EQ(**(*tokens)->TryAuthenticate(WithHeader("Basic dDE6")), nullptr);
  for (const char* header : {"Bearer wrong", "Bearer ", "Bearer t1 ", "Bearer T1"}) {
    const auto user = *(*tokens)->TryAuthenticate(WithHeader(header));
    EXPECT_EQ(user.status(), Status(Reason::kUnauthorized, "Unauthorized")) << header;
  }
}

TEST(TokenFileTest, NamesTheBrokenLineAndNoToken) {
  struct Row {
    std::string_view reason;
    std::string_view text;
    std::string_view line;
  };
  const std::vector<Row> table = {
      {"too few", "ok,a,1\nsecret-token,bob", "line 2 "},
      {"too many", "secret-token,a,1,g,h", "line 1 "},
      {"no token", ",a,1", "line 1 "},
      {"no user", "secret-token,,1", "line 1 "},
      {"an open quote", "secret-token,a,1,\"g", "line 1 "},
  };
  for (const Row& row : table) {
    const auto tokens = TokenAuthenticator::Parse(row.text);
    ASSERT_FALSE(tokens.ok()) << row.reason;
    EXPECT_EQ(tokens.status().reason(), Reason::kBadRequest) << row.reason;
    EXPECT_THAT(tokens.status().message(), HasSubstr(std::string(row.line))) << row.reason;
    EXPECT_THAT(tokens.status().message(), Not(HasSubstr("secret-token"))) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
