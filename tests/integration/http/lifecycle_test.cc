#include <gmock/gmock.h>
#include <map>
#include <thread>

#include "tests/integration/http/server_fixture.h"

namespace asyncops::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

class LifecycleTest : public ServerFixture {};

TEST_F(LifecycleTest, PortInUseIsAValueThatNamesIt) {
  Start();
  options_.port = port();
  const auto second = StartServer(options_, certificate_, handler_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().reason(), Reason::kServiceUnavailable);
  EXPECT_THAT(second.status().message(), HasSubstr("127.0.0.1:" + std::to_string(port())));
  EXPECT_TRUE(Serves());
}

TEST_F(LifecycleTest, AddressThatIsNoneIsRefused) {
  options_.address = "localhost";
  EXPECT_EQ(StartServer(options_, certificate_, handler_).status().reason(),
            Reason::kServiceUnavailable);
}

TEST_F(LifecycleTest, Ipv6IsServed) {
  options_.address = "::1";
  const auto server = StartServer(options_, certificate_, handler_);
  if (server.ok()) {
    EXPECT_GT((*server)->port(), 0);
  } else {
    EXPECT_EQ(server.status().reason(), Reason::kServiceUnavailable) << "a machine without IPv6";
  }
}

TEST_F(LifecycleTest, ConnectionsAreDealtToTheThreadsAndStayWithThem) {
  options_.threads = 2;
  Start();
  std::map<std::string, int> connections;
  for (int i = 0; i < 4; ++i) {
    HttpClient client(port());
    client.Send(Get("/thread"));
    const std::string thread = client.Read().body;
    ++connections[thread];
    for (int again = 0; again < 3; ++again) {
      client.Send(Get("/thread"));
      EXPECT_EQ(client.Read().body, thread);
    }
  }
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_EQ(connections.begin()->second, 2);
}

TEST_F(LifecycleTest, DroppedResponderAnswers500) {
  Start();
  HttpClient client(port());
  client.Send(Get("/dropped"));
  EXPECT_EQ(client.Read().status, 500);
  client.Send(Get("/later"));
  handler_.TakeLater() = nullptr;
  const ClientResponse response = client.Read();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("\"reason\":\"InternalError\""));
}

TEST_F(LifecycleTest, HandlerThatThrowsAnswers500) {
  Start();
  HttpClient client(port());
  client.Send(Get("/throws") + Get("/echo"));
  EXPECT_EQ(client.Read().status, 500);
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(LifecycleTest, AnswerMayComeFromAnyThreadAndOnlyTheFirstCounts) {
  Start();
  HttpClient client(port());
  client.Send(Get("/later"));
  const Responder responder = handler_.TakeLater();
  std::jthread([&responder] {
    Response response;
    response.body = "first";
    responder(std::move(response));
    responder(Response{});
  }).join();
  EXPECT_EQ(client.Read().body, "first");
  client.Send(Get("/echo"));
  EXPECT_EQ(client.Read().body, "GET /echo ");
}

TEST_F(LifecycleTest, AnswerAfterTheServerHasGoneIsHarmless) {
  Start();
  HttpClient client(port());
  client.Send(Get("/later"));
  const Responder responder = handler_.TakeLater();
  server_.reset();
  responder(Response{});
}

TEST_F(LifecycleTest, AnswerAfterTheClientHasGoneIsHarmless) {
  Start();
  {
    HttpClient client(port());
    client.Send(Get("/later"));
    const Responder responder = handler_.TakeLater();
    client.Close();
    responder(Response{});
  }
  EXPECT_TRUE(Serves());
}

TEST_F(LifecycleTest, DrainClosesIdleConnectionsAndTheListener) {
  Start();
  HttpClient client(port());
  client.Send(Get("/echo"));
  EXPECT_EQ(client.Read().status, 200);
  server_->Drain(seconds(5));
  EXPECT_TRUE(client.IsClosedByPeer());
  EXPECT_FALSE(HttpClient(port()).connected());
  server_->Drain(seconds(5));
}

TEST_F(LifecycleTest, DrainLetsTheRequestUnderWayFinish) {
  Start();
  HttpClient client(port());
  client.Send(Get("/later"));
  const Responder responder = handler_.TakeLater();
  std::jthread drain([this] { server_->Drain(seconds(10)); });
  // The listener is closed: the drain has begun.
  while (HttpClient(port()).connected()) {
  }
  responder(Response{});
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST_F(LifecycleTest, DrainEndsStreamsCleanly) {
  Start();
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  server_->Drain(seconds(10));
  EXPECT_TRUE(stream->AwaitStopped());
  EXPECT_TRUE(stream->AwaitGone());
  EXPECT_EQ(client.Read().status, 200) << "the last chunk has come";
  EXPECT_TRUE(client.IsClosedByPeer());
}

TEST_F(LifecycleTest, DrainCutsWhatOutlastsItsTime) {
  Start();
  HttpClient waiting(port());
  waiting.Send(Get("/later"));
  const Responder responder = handler_.TakeLater();
  HttpClient half(port());
  half.Send("GET /echo HTTP/1.1\r\n");
  server_->Drain(milliseconds(50));
  EXPECT_TRUE(waiting.IsClosedByPeer());
  EXPECT_TRUE(half.IsClosedByPeer());
}

TEST_F(LifecycleTest, ServerMayGoWhileClientsAreAtWork) {
  Start();
  const std::uint16_t at = port();
  std::vector<std::jthread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([at] {
      for (;;) {
        HttpClient client(at);
        if (!client.Send(Get("/echo") + Get("/dropped")) || client.Read().status != 200) return;
      }
    });
  }
  HttpClient client(at);
  for (int i = 0; i < 100; ++i) {
    client.Send(Get("/echo"));
    ASSERT_EQ(client.Read().status, 200);
  }
  server_.reset();
}

}  // namespace
}  // namespace asyncops::http
