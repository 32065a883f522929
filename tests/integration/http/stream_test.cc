#include <gmock/gmock.h>
#include <thread>

#include "base/limits.h"
#include "tests/integration/http/server_fixture.h"

namespace asyncops::http {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

class StreamTest : public ServerFixture {
 protected:
  StreamTest() { Start(); }

  SystemClock clock_;
};

TEST_F(StreamTest, HeadComesBeforeTheFirstPiece) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  stream->Push("one\n");
  EXPECT_EQ(client.ReadUntil("one\n\r\n"), "4\r\none\n\r\n");
  stream->End();
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_TRUE(stream->AwaitGone());
  client.Send(Get("/echo"));
  EXPECT_EQ(client.Read().status, 200) << "the connection goes on";
}

TEST_F(StreamTest, NoWakeIsLostHoweverManyThreadsCall) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  constexpr int kThreads = 4;
  constexpr int kPieces = 500;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&stream] {
        for (int i = 0; i < kPieces; ++i) stream->Push("p");
      });
    }
  }
  stream->End();
  EXPECT_EQ(client.Read().body, std::string(kThreads * kPieces, 'p'));
}

TEST_F(StreamTest, WakesThatComeTogetherAreOne) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  const auto wake = stream->wake();
  for (int i = 0; i < 100000; ++i) wake();
  stream->End();
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_LT(stream->reads(), 50000u);
}

TEST_F(StreamTest, WakeAfterTheStreamHasGoneIsHarmless) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  const auto wake = stream->wake();
  stream->End();
  EXPECT_EQ(client.Read().status, 200);
  wake();
  server_.reset();
  wake();
}

TEST_F(StreamTest, SourceIsReadAgainAtItsTime) {
  const auto stream = handler_.NextStream();
  stream->PushAsleep("", clock_.SteadyNow());
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  client.ReadUntil("\r\n\r\n");
  stream->PushAsleep("later\n", clock_.SteadyNow() + milliseconds(20));
  // The time is asked for after a Read; this one finds nothing, the next one the piece.
  stream->wake()();
  EXPECT_EQ(client.ReadUntil("later\n\r\n"), "6\r\nlater\n\r\n");
}

TEST_F(StreamTest, AbortedStreamIsCutWithoutItsLastChunk) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  stream->Push("one\n");
  client.ReadUntil("one\n\r\n");
  stream->Abort();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(StreamTest, ClientThatGoesIsNoticedWithoutAWrite) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  client.Close();
  EXPECT_TRUE(stream->AwaitGone());
}

TEST_F(StreamTest, ClientThatSendsMoreIsHeldUntilTheStreamEnds) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream") + Get("/echo/1"));
  ASSERT_TRUE(stream->AwaitStarted());
  client.Send(Get("/echo/2"));
  stream->End();
  EXPECT_EQ(client.Read().body, "");
  EXPECT_EQ(client.Read().body, "GET /echo/1 ");
  EXPECT_EQ(client.Read().body, "GET /echo/2 ");
}

TEST_F(StreamTest, ClientThatFloodsBehindAStreamIsCut) {
  const auto stream = handler_.NextStream();
  HttpClient client(port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  client.Send(std::string(kMaxHeaderBytes * 4, 'x'));
  EXPECT_TRUE(stream->AwaitGone());
}

TEST_F(StreamTest, SlowReaderHoldsUpNobodyAndNoMemory) {
  const auto flood = handler_.NextStream();
  flood->Flood();
  HttpClient slow(port(), {.receive_buffer_bytes = 4096});
  slow.Send(Get("/stream"));
  ASSERT_TRUE(flood->AwaitStarted());
  const auto stream = handler_.NextStream();
  HttpClient quick(port());
  quick.Send(Get("/stream"));
  for (int i = 0; i < 200; ++i) {
    stream->Push("event\n");
    ASSERT_THAT(quick.ReadUntil("event\n\r\n"), HasSubstr("event\n"));
    flood->wake()();
  }
  // What the kernel's buffers took (some MiB at most), and not 200 wakes' worth.
  const std::size_t before = flood->reads();
  for (int i = 0; i < 1000; ++i) flood->wake()();
  EXPECT_TRUE(Serves());
  EXPECT_EQ(flood->reads(), before);
  EXPECT_LT(before * kStreamChunkBytes, 16u * 1024 * 1024);
}

TEST_F(StreamTest, StreamToHeadOrHttp10HasNoChunks) {
  auto stream = handler_.NextStream();
  HttpClient head(port());
  head.Send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(head.Read(true).status, 200);
  EXPECT_TRUE(stream->AwaitGone());
  stream = handler_.NextStream();
  HttpClient old(port());
  old.Send("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.ReadUntil("\r\n\r\n"), Not(HasSubstr("chunked")));
  stream->Push("one\n");
  EXPECT_EQ(old.ReadUntil("\n"), "one\n");
  stream->End();
  EXPECT_EQ(old.ReadToEnd(), "");
}

TEST_F(StreamTest, LargeBodyReachesASlowReaderWhole) {
  HttpClient client(port(), {.receive_buffer_bytes = 4096});
  client.Send(Get("/large"));
  const ClientResponse response = client.Read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body.size(), 8u * 1024 * 1024);
}

}  // namespace
}  // namespace asyncops::http
