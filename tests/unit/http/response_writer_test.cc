#include "apiserver/http/response_writer.h"

#include <array>
#include <cstdio>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"

namespace asyncops::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FixedClock final : public Clock {
 public:
  Time Now() const override { return Time(std::chrono::seconds(1796057273)); }
  SteadyTime SteadyNow() const override { return SteadyTime(); }
};

struct Piece {
  BodySource::State state;
  std::string bytes;
};

class ScriptedSource final : public BodySource {
 public:
  ScriptedSource(std::deque<Piece> pieces, bool* gone) : pieces_(std::move(pieces)), gone_(gone) {}
  ~ScriptedSource() override { *gone_ = true; }
  State Read(std::string* out) override {
    Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    out->append(piece.bytes);
    return piece.state;
  }
  void SetWake(std::function<void()> /*wake*/) override {}
  void Stop() override { pieces_ = {{State::kEnd, ""}}; }

 private:
  std::deque<Piece> pieces_;
  bool* gone_;
};

class ResponseWriterTest : public testing::Test {
 protected:
  // All that goes out until the writer has no bytes at hand.
  std::string Drain(ResponseWriter::Step* last) {
    std::string out;
    for (int turn = 0; turn < 10000; ++turn) {
      *last = writer_.Fill();
      if (*last != ResponseWriter::Step::kBytes) break;
      const std::size_t piece = std::min<std::size_t>(writer_.pending().size(), 1000);
      out.append(writer_.pending().substr(0, piece));
      writer_.Consume(piece);
    }
    return out;
  }

  Response Streamed(std::deque<Piece> pieces) {
    Response response;
    response.source = std::make_unique<ScriptedSource>(std::move(pieces), &source_gone_);
    return response;
  }

  FixedClock clock_;
  DateLine date_line_{clock_};
  ResponseWriter writer_{date_line_};
  ResponseWriter::Step step_ = ResponseWriter::Step::kBytes;
  bool source_gone_ = false;
};

TEST_F(ResponseWriterTest, SmallResponseIsOnePiece) {
  Response response;
  response.headers.Add("Content-Type", "text/plain");
  response.body = "hello";
  writer_.Start(std::move(response), {}, nullptr);
  ASSERT_EQ(writer_.Fill(), ResponseWriter::Step::kBytes);
  EXPECT_EQ(writer_.pending(),
            "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 16:47:53 GMT\r\nContent-Type: text/plain\r\n"
            "Content-Length: 5\r\n\r\nhello");
}

TEST_F(ResponseWriterTest, LargeBodyGoesOutWhole) {
  Response response;
  response.body = std::string(100000, 'a') + "z";
  writer_.Start(std::move(response), {}, nullptr);
  const std::string out = Drain(&step_);
  EXPECT_EQ(step_, ResponseWriter::Step::kEnd);
  EXPECT_THAT(out, HasSubstr("Content-Length: 100001\r\n"));
  EXPECT_THAT(out, EndsWith("\r\n\r\n" + std::string(100000, 'a') + "z"));
}

TEST_F(ResponseWriterTest, HeadHasTheLengthButNoBody) {
  Response response;
  response.body = "hello";
  writer_.Start(std::move(response), {.head_only = true}, nullptr);
  EXPECT_THAT(Drain(&step_), EndsWith("Content-Length: 5\r\n\r\n"));
}

TEST_F(ResponseWriterTest, NotModifiedHasNeitherBodyNorLength) {
  Response response;
  response.status = 304;
  response.body = "ignored";
  writer_.Start(std::move(response), {}, nullptr);
  const std::string out = Drain(&step_);
  EXPECT_THAT(out, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_THAT(out, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(out, EndsWith("\r\n\r\n"));
}

TEST_F(ResponseWriterTest, RedirectBecomesAnError) {
  for (const int code : {100, 101, 301, 302, 303, 307, 308, 199, 600, 0, -1}) {
    Response response;
    response.status = code;
    response.headers.Add("Location", "https://elsewhere");
    writer_.Start(std::move(response), {}, nullptr);
    const std::string out = Drain(&step_);
    EXPECT_THAT(out, StartsWith("HTTP/1.1 500 ")) << code;
    EXPECT_THAT(out, Not(HasSubstr("Location"))) << code;
  }
}

TEST_F(ResponseWriterTest, LineBreaksInHeadersBecomeSpaces) {
  Response response;
  response.headers.Add("Warning", "a\r\nSet-Cookie: x");
  writer_.Start(std::move(response), {}, nullptr);
  EXPECT_THAT(Drain(&step_), HasSubstr("Warning: a  Set-Cookie: x\r\n"));
}

TEST_F(ResponseWriterTest, StreamIsChunkedAndItsHeadGoesFirst) {
  using State = BodySource::State;
  writer_.Start(
      Streamed({{State::kPending, ""}, {State::kPending, "one\n"}, {State::kEnd, "two\n"}}), {},
      nullptr);
  EXPECT_THAT(Drain(&step_), EndsWith("Transfer-Encoding: chunked\r\n\r\n"));
  EXPECT_EQ(step_, ResponseWriter::Step::kPending);
  EXPECT_EQ(Drain(&step_), "") << "not woken, not read";
  writer_.Resume();
  EXPECT_EQ(Drain(&step_), "4\r\none\n\r\n");
  EXPECT_EQ(step_, ResponseWriter::Step::kPending);
  writer_.Resume();
  EXPECT_EQ(Drain(&step_), "4\r\ntwo\n\r\n0\r\n\r\n");
  EXPECT_EQ(step_, ResponseWriter::Step::kEnd);
  EXPECT_TRUE(source_gone_);
}

TEST_F(ResponseWriterTest, StreamToHttp10HasNoChunks) {
  using State = BodySource::State;
  writer_.Start(Streamed({{State::kMore, "one\n"}, {State::kEnd, "two\n"}}),
                {.http10 = true, .keep_alive = false}, nullptr);
  const std::string out = Drain(&step_);
  EXPECT_THAT(out, Not(HasSubstr("chunked")));
  EXPECT_THAT(out, EndsWith("Connection: close\r\n\r\none\ntwo\n"));
}

TEST_F(ResponseWriterTest, SmallReadsAreJoined) {
  using State = BodySource::State;
  std::deque<Piece> pieces(20, {State::kMore, "0123456789abcdef"});
  pieces.push_back({State::kEnd, ""});
  writer_.Start(Streamed(std::move(pieces)), {}, nullptr);
  EXPECT_THAT(Drain(&step_), HasSubstr("\r\n\r\n140\r\n0123456789abcdef"));
}

TEST_F(ResponseWriterTest, ChunksOfAnySizeAreFramed) {
  using State = BodySource::State;
  for (const std::size_t size : {1u, 15u, 16u, 255u, 4096u, 65536u, 1048577u}) {
    writer_.Start(Streamed({{State::kMore, std::string(size, 'x')},
                            {State::kPending, ""},
                            {State::kEnd, std::string(size, 'y')}}),
                  {}, nullptr);
    std::string out = Drain(&step_);
    writer_.Resume();
    out += Drain(&step_);
    ASSERT_EQ(step_, ResponseWriter::Step::kEnd) << size;
    std::array<char, 20> digits{};
    std::snprintf(digits.data(), digits.size(), "%zx", size);
    const std::string head = digits.data();
    EXPECT_THAT(out, EndsWith("\r\n\r\n" + head + "\r\n" + std::string(size, 'x') + "\r\n" + head +
                              "\r\n" + std::string(size, 'y') + "\r\n0\r\n\r\n"))
        << size;
  }
}

TEST_F(ResponseWriterTest, SourceIsNotReadAheadOfTheSocket) {
  using State = BodySource::State;
  std::deque<Piece> pieces(1000, {State::kMore, std::string(kStreamChunkBytes, 'x')});
  writer_.Start(Streamed(std::move(pieces)), {}, nullptr);
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(writer_.Fill(), ResponseWriter::Step::kBytes);
    ASSERT_LT(writer_.pending().size(), kStreamChunkBytes + 1024);
    writer_.Consume(writer_.pending().size());
  }
}

TEST_F(ResponseWriterTest, AbortedStreamHasNoLastChunk) {
  using State = BodySource::State;
  writer_.Start(Streamed({{State::kMore, "one"}, {State::kAbort, "two"}}), {}, nullptr);
  EXPECT_THAT(Drain(&step_), Not(HasSubstr("0\r\n\r\n")));
  EXPECT_EQ(step_, ResponseWriter::Step::kAbort);
}

TEST_F(ResponseWriterTest, StopEndsTheStreamCleanly) {
  using State = BodySource::State;
  writer_.Start(Streamed({{State::kPending, "one"}, {State::kPending, "never"}}), {}, nullptr);
  Drain(&step_);
  writer_.Stop();
  EXPECT_EQ(Drain(&step_), "0\r\n\r\n");
  EXPECT_TRUE(source_gone_);
}

TEST_F(ResponseWriterTest, ResetDropsTheSource) {
  writer_.Start(Streamed({{BodySource::State::kPending, ""}}), {}, nullptr);
  writer_.Reset();
  EXPECT_TRUE(source_gone_);
}

}  // namespace
}  // namespace asyncops::http
