#include <gmock/gmock.h>
#include <thread>

#include "tests/integration/http/server_fixture.h"

namespace asyncops::http {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ConnectionLimitsTest : public ServerFixture {};

TEST_F(ConnectionLimitsTest, SilentConnectionIsClosed) {
  options_.header_timeout = milliseconds(50);
  Start();
  HttpClient client(port());
  EXPECT_TRUE(client.IsClosedByPeer());
}

TEST_F(ConnectionLimitsTest, SlowHeaderIsAnswered408) {
  options_.header_timeout = milliseconds(200);
  Start();
  HttpClient client(port());
  client.Send("GET /echo HTTP/1.1\r\nHost:");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ConnectionLimitsTest, DrippingHeaderDoesNotExtendItsTime) {
  options_.header_timeout = milliseconds(300);
  Start();
  HttpClient client(port());
  client.Send("GET /echo HTTP/1.1\r\nX:");
  bool answered = false;
  for (int turn = 0; !answered && turn < 500; ++turn) {
    client.Send("a");
    answered = client.HasInputWithin(milliseconds(20));
  }
  EXPECT_TRUE(answered);
  EXPECT_THAT(client.ReadUntil("\r\n"), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ConnectionLimitsTest, SlowBodyIsAnswered408) {
  options_.request_timeout = milliseconds(200);
  Start();
  HttpClient client(port());
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(handler_.seen(), IsEmpty());
}

TEST_F(ConnectionLimitsTest, IdleConnectionIsClosedWithoutAWord) {
  options_.idle_timeout = milliseconds(100);
  Start();
  HttpClient client(port());
  client.Send(Get("/echo"));
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_TRUE(client.IsClosedByPeer());
}

TEST_F(ConnectionLimitsTest, HandlerThatDoesNotAnswerInTimeGets504) {
  options_.request_timeout = milliseconds(100);
  Start();
  HttpClient client(port());
  client.Send(Get("/later"));
  const Responder late = handler_.TakeLater();
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 504 "));
  EXPECT_THAT(answer, HasSubstr("\"reason\":\"Timeout\""));
  late(Response{});
}

TEST_F(ConnectionLimitsTest, ClientThatDoesNotReadIsCut) {
  options_.request_timeout = milliseconds(300);
  Start();
  HttpClient client(port(), {.receive_buffer_bytes = 4096});
  const auto stream = handler_.NextStream();
  stream->Flood();
  client.Send(Get("/stream"));
  EXPECT_TRUE(stream->AwaitGone());
}

TEST_F(ConnectionLimitsTest, ConnectionsAboveTheLimitAreClosed) {
  options_.max_connections = 2;
  Start();
  HttpClient one(port());
  HttpClient two(port());
  one.Send(Get("/echo"));
  two.Send(Get("/echo"));
  EXPECT_EQ(one.Read().status, 200);
  EXPECT_EQ(two.Read().status, 200);
  HttpClient three(port());
  EXPECT_TRUE(three.IsClosedByPeer());
  one.Send("GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  one.ReadToEnd();
  // The client sees the end a moment before the server has counted it.
  bool served = false;
  for (int i = 0; !served && i < 1000; ++i) served = Serves();
  EXPECT_TRUE(served);
}

TEST_F(ConnectionLimitsTest, SlowConnectionsDoNotHoldUpOthers) {
  Start();
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<HttpClient>(port()));
    slow.back()->Send("GET /echo HTTP/1.1\r\n");
  }
  EXPECT_TRUE(Serves());
}

TEST_F(ConnectionLimitsTest, ThousandQuickConnectionsAreServed) {
  Start();
  int served = 0;
  for (int i = 0; i < 1000; ++i) served += Serves() ? 1 : 0;
  EXPECT_EQ(served, 1000);
}

TEST_F(ConnectionLimitsTest, ConnectionsThatVanishLeaveNothing) {
  options_.max_connections = 4;
  Start();
  for (int i = 0; i < 200; ++i) {
    HttpClient client(port());
    client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf");
    client.Close();
  }
  // Each has gone once the server has seen its end; one that is served proves that there is room
  // again.
  bool served = false;
  for (int i = 0; !served && i < 1000; ++i) served = Serves();
  EXPECT_TRUE(served);
}

}  // namespace
}  // namespace asyncops::http
