#include "apiserver/http/request_target.h"

#include <gtest/gtest.h>

namespace asyncops::http {
namespace {

TEST(RequestTargetTest, PathIsDecodedOnceAndQueryApart) {
  Request request;
  ASSERT_TRUE(ReadRequestTarget("/apis/a%2541/x+y?q=%2541", &request).ok());
  EXPECT_EQ(request.path, "/apis/a%41/x+y");
  EXPECT_EQ(request.query.Get("q"), "%41");
}

TEST(RequestTargetTest, SegmentsAreNotNormalised) {
  Request request;
  ASSERT_TRUE(ReadRequestTarget("/a/../b//c/", &request).ok());
  EXPECT_EQ(request.path, "/a/../b//c/");
}

TEST(RequestTargetTest, AbsoluteFormGivesItsPath) {
  Request request;
  ASSERT_TRUE(ReadRequestTarget("https://host:8443/apis?x=1", &request).ok());
  EXPECT_EQ(request.path, "/apis");
  EXPECT_EQ(request.query.Get("x"), "1");
  ASSERT_TRUE(ReadRequestTarget("http://host", &request).ok());
  EXPECT_EQ(request.path, "/");
}

TEST(RequestTargetTest, OtherFormsAreRefused) {
  struct Case {
    const char* target;
    const char* reason;
  };
  for (const Case& c : {Case{"*", "asterisk form"}, Case{"host:443", "authority form"},
                        Case{"apis", "relative"}, Case{"ftp://host/x", "another scheme"},
                        Case{"http:///x", "no authority"}, Case{"/a#b", "fragment"},
                        Case{"/a%", "escape cut off"}, Case{"/a%0g", "escape without digits"},
                        Case{"/a%00b", "NUL"}, Case{"/a?b=%x", "broken escape in the query"}}) {
    Request request;
    const Status status = ReadRequestTarget(c.target, &request);
    EXPECT_EQ(status.reason(), Reason::kBadRequest) << c.reason;
  }
}

}  // namespace
}  // namespace asyncops::http
