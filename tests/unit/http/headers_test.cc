#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/http/request.h"

namespace asyncops::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(HeadersTest, GetComparesNamesWithoutRegardToCase) {
  Headers headers;
  headers.Add("X-Remote-User", "ada");
  EXPECT_EQ(headers.Get("x-remote-USER"), "ada");
  EXPECT_EQ(headers.Get("x-remote-use"), "");
  EXPECT_EQ(headers.Get("x-remote_user"), "");
  EXPECT_TRUE(headers.Has("X-REMOTE-USER"));
  EXPECT_FALSE(headers.Has("X-Remote"));
}

TEST(HeadersTest, RepeatedHeadersKeepTheirOrder) {
  Headers headers;
  headers.Add("X-Remote-Group", "b");
  headers.Add("Accept", "*/*");
  headers.Add("x-remote-group", "a");
  EXPECT_THAT(headers.GetAll("X-Remote-Group"), ElementsAre("b", "a"));
  EXPECT_EQ(headers.Get("X-Remote-Group"), "b");
  EXPECT_THAT(headers.GetAll("Host"), IsEmpty());
}

TEST(HeadersTest, SetReplacesAllOfThatName) {
  Headers headers;
  headers.Add("vary", "a");
  headers.Add("Vary", "b");
  headers.Set("Vary", "Accept");
  EXPECT_THAT(headers.all(), ElementsAre(Pair("Vary", "Accept")));
}

TEST(HeadersTest, EraseRemovesAllOfThatName) {
  Headers headers;
  headers.Add("X-Remote-User", "ada");
  headers.Add("Accept", "*/*");
  headers.Add("x-remote-user", "eve");
  headers.Erase("X-REMOTE-USER");
  EXPECT_THAT(headers.all(), ElementsAre(Pair("Accept", "*/*")));
}

}  // namespace
}  // namespace asyncops::http
