#include "tests/simcloud/request_gate.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace asyncops::simcloud {
namespace {

using State = RequestGate::State;

constexpr char kPost[] = "POST /v1/volumes HTTP/1.1\r\nHost: x\r\ncontent-length: 4\r\n\r\nabcd";

TEST(RequestGateTest, RequestThatComesByteByByteIsComplete) {
  RequestGate gate;
  const std::string request = kPost;
  for (std::size_t i = 0; i + 1 < request.size(); ++i) {
    ASSERT_EQ(gate.Feed(request.substr(i, 1)), State::kMore) << i;
  }
  EXPECT_EQ(gate.Feed("d"), State::kComplete);
  EXPECT_EQ(gate.request(), request);
  EXPECT_FALSE(gate.overrun());
}

TEST(RequestGateTest, RequestWithoutABodyEndsWithItsHead) {
  RequestGate gate;
  EXPECT_EQ(gate.Feed("GET / HTTP/1.1\r\n\r\n"), State::kComplete);
}

TEST(RequestGateTest, BytesAfterTheRequestAreNotPartOfIt) {
  RequestGate gate;
  EXPECT_EQ(gate.Feed(std::string(kPost) + "GET / HTTP/1.1\r\n\r\n"), State::kComplete);
  EXPECT_EQ(gate.request(), kPost);
  EXPECT_TRUE(gate.overrun());
}

TEST(RequestGateTest, ResetTakesTheNextRequest) {
  RequestGate gate;
  gate.Feed(kPost);
  gate.Reset();
  EXPECT_EQ(gate.Feed(kPost), State::kComplete);
  EXPECT_EQ(gate.request(), kPost);
}

TEST(RequestGateTest, OddRequestsAreRefused) {
  struct Row {
    std::string request;
    int status;
    std::string reason;
  };
  const std::string line = "POST / HTTP/1.1\r\n";
  const std::vector<Row> rows = {
      {line + "Transfer-Encoding: chunked\r\n\r\n", 501, "chunked body"},
      {line + "TRANSFER-ENCODING: identity\r\n\r\n", 501, "any transfer encoding"},
      {line + "Content-Length: 1048577\r\n\r\n", 413, "body over the limit"},
      {line + "Content-Length: 99999999999999999999\r\n\r\n", 413, "length over 64 bits"},
      {line + "Content-Length: -1\r\n\r\n", 400, "negative length"},
      {line + "Content-Length: 0x10\r\n\r\n", 400, "hexadecimal length"},
      {line + "Content-Length:\r\n\r\n", 400, "empty length"},
      {line + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, "two lengths"},
      {line + "Content-Length : 1\r\n\r\n", 400, "space before the colon"},
      {line + "X: a\r\n folded\r\n\r\n", 400, "folded header"},
      {line + "nonsense\r\n\r\n", 400, "header without a colon"},
      {line + ": value\r\n\r\n", 400, "header without a name"},
      {line + "X: a\nY: b\r\n\r\n", 400, "bare line feed"},
      {line + std::string("X: a\0b", 6) + "\r\n\r\n", 400, "NUL in a header"},
      {"\r\n\r\n", 400, "no request line"},
      {line + "X: " + std::string(70000, 'a'), 431, "head that never ends"},
      {line + "X: " + std::string(70000, 'a') + "\r\n\r\n", 431, "head over the limit"},
  };
  for (const Row& row : rows) {
    RequestGate gate;
    EXPECT_EQ(gate.Feed(row.request), State::kRefused) << row.reason;
    EXPECT_EQ(gate.refusal_status(), row.status) << row.reason;
    EXPECT_EQ(gate.Feed("more"), State::kRefused) << row.reason;
    EXPECT_EQ(gate.request(), "") << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::simcloud
