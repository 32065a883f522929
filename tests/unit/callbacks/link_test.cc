#include "callbacks/link.h"

#include <gtest/gtest.h>

namespace asyncops::callbacks {
namespace {

const std::string kKey(32, 'k');

LinkSubject Subject() {
  return {.namespace_name = "team",
          .name = "make-volume",
          .uid = "0a1b2c3d-0000-4000-8000-000000000001",
          .submission = 2};
}

TEST(LinkTest, TokenNamesItsSubject) {
  const Links links("https://asyncops.example", kKey);
  const std::string token = links.Token(Subject());
  EXPECT_EQ(links.Check("team", "make-volume", token), Subject());
  EXPECT_EQ(links.Token(Subject()), token) << "it is made again, not kept";
  EXPECT_EQ(
      token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
      std::string::npos);
  EXPECT_EQ(token.find('_') == std::string::npos, false);
}

TEST(LinkTest, TokenOfAnythingElseIsRefused) {
  const Links links("https://asyncops.example", kKey);
  const std::string token = links.Token(Subject());
  EXPECT_FALSE(links.Check("other", "make-volume", token)) << "another namespace";
  EXPECT_FALSE(links.Check("team", "other", token)) << "another operation";
  EXPECT_FALSE(
      Links("https://asyncops.example", std::string(32, 'x')).Check("team", "make-volume", token))
      << "another server";
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    // The last character of a base64 text has bits that say nothing.
    if (i == 42) continue;
    EXPECT_FALSE(links.Check("team", "make-volume", changed)) << i;
  }
  for (const char* text :
       {"", "_", "__", "a_1_b", "_2_0a1b2c3d", "a_x_b", "a_-1_b", "a_99999999999_b"})
    EXPECT_FALSE(links.Check("team", "make-volume", text)) << text;
}

TEST(LinkTest, SubmissionsHaveTokensOfTheirOwn) {
  const Links links("https://asyncops.example", kKey);
  LinkSubject next = Subject();
  ++next.submission;
  EXPECT_NE(links.Token(Subject()), links.Token(next));
  EXPECT_EQ(links.Check("team", "make-volume", links.Token(next)), next);
}

TEST(LinkTest, PartsDoNotRunIntoEachOther) {
  const Links links("https://asyncops.example", kKey);
  const LinkSubject one{"a", "b-c", "u", 1};
  const LinkSubject other{"a-b", "c", "u", 1};
  EXPECT_NE(links.Token(one), links.Token(other));
}

TEST(LinkTest, UrlHasAPlaceAndNoToken) {
  const Links links("https://asyncops.example", kKey);
  EXPECT_EQ(links.UrlWithPlaceholder(Subject()),
            "https://asyncops.example/callbacks/team/make-volume/asyncops-callback-token_");
}

TEST(LinkTest, PathsAreThoseOfOperationsAndSystems) {
  const auto operation = ParseLinkPath("/callbacks/team/make-volume/abc_1_uid");
  ASSERT_TRUE(operation);
  EXPECT_EQ(operation->namespace_name, "team");
  EXPECT_EQ(operation->name, "make-volume");
  EXPECT_EQ(operation->token, "abc_1_uid");
  const auto system = ParseLinkPath("/callbacks/team/systems/acme");
  ASSERT_TRUE(system);
  EXPECT_EQ(system->name, "acme");
  EXPECT_EQ(system->token, "");
  EXPECT_EQ(ParseLinkPath("/callbacks/team/systems/a_1_u")->name, "systems")
      << "an operation may be called so";
}

TEST(LinkTest, OtherPathsAreNone) {
  for (const char* path :
       {"/", "/callbacks", "/callbacks/", "/callbacks/team", "/callbacks/team/x",
        "/callbacks/team/x/", "/callbacks/team/x/token/", "/callbacks/team/x/a_1_b/c",
        "/callbacks//x/a_1_b", "/callbacks/team/x/notoken", "/callbacks/te am/x/a_1_b",
        "/callbacks/team/../a_1_b/..", "/callbacks/team/x/a_1_b?x", "/api"})
    EXPECT_FALSE(ParseLinkPath(path)) << path;
  EXPECT_FALSE(ParseLinkPath("/callbacks/team/x/_" + std::string(600, 'a')));
  EXPECT_TRUE(IsLinkPath("/callbacks/anything"));
  EXPECT_FALSE(IsLinkPath("/callbacks"));
}

}  // namespace
}  // namespace asyncops::callbacks
