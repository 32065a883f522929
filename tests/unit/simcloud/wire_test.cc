#include "tests/simcloud/wire.h"

#include <gtest/gtest.h>

namespace asyncops::simcloud {
namespace {

TEST(SimcloudWireTest, WholeReply) {
  Reply reply;
  reply.status = 202;
  reply.headers.emplace_back("Location", "/x");
  reply.body = "{}";
  EXPECT_EQ(EncodeReply(reply),
            "HTTP/1.1 202 \r\nLocation: /x\r\nConnection: close\r\n"
            "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(SimcloudWireTest, NoContentHasNoLength) {
  Reply reply;
  reply.status = 204;
  EXPECT_EQ(EncodeReply(reply), "HTTP/1.1 204 \r\nConnection: close\r\n\r\n");
}

TEST(SimcloudWireTest, TruncatedReplyPromisesMoreThanItSends) {
  Reply reply;
  reply.body = "0123456789";
  reply.delivery = Delivery::kTruncate;
  const std::string bytes = EncodeReply(reply);
  EXPECT_NE(bytes.find("Content-Length: 10\r\n"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with("\r\n\r\n01234")) << bytes;
}

TEST(SimcloudWireTest, TruncatedReplyWithoutABodyEndsWithinItsHead) {
  Reply reply;
  reply.status = 204;
  reply.delivery = Delivery::kTruncate;
  EXPECT_EQ(EncodeReply(reply).find("\r\n\r\n"), std::string::npos);
}

}  // namespace
}  // namespace asyncops::simcloud
