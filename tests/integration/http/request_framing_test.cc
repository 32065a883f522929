#include <gmock/gmock.h>

#include "tests/integration/http/server_fixture.h"

namespace asyncops::http {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class RequestFramingTest : public ServerFixture {
 protected:
  RequestFramingTest() { Start(); }
};

TEST_F(RequestFramingTest, BothFramingsOfABodyAreRead) {
  HttpClient client(port());
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.Read().body, "POST /echo hello");
  client.Send(
      "PUT /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\nX-Trailer: dropped\r\n\r\n");
  EXPECT_EQ(client.Read().body, "PUT /echo hello");
}

TEST_F(RequestFramingTest, RequestMayArriveByteByByte) {
  HttpClient client(port());
  for (const char c :
       std::string("POST /echo?a=b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "5\r\nhello\r\n0\r\n\r\n")) {
    client.Send(std::string_view(&c, 1));
  }
  EXPECT_EQ(client.Read().body, "POST /echo hello");
}

TEST_F(RequestFramingTest, PipelinedRequestsAreAnsweredInTheirOrder) {
  HttpClient client(port());
  client.Send(Get("/later") + Get("/echo/2") + Get("/echo/3"));
  const Responder first = handler_.TakeLater();
  EXPECT_THAT(handler_.seen(), ElementsAre("GET /later"));
  Response response;
  response.body = "first";
  first(std::move(response));
  EXPECT_EQ(client.Read().body, "first");
  EXPECT_EQ(client.Read().body, "GET /echo/2 ");
  EXPECT_EQ(client.Read().body, "GET /echo/3 ");
}

TEST_F(RequestFramingTest, HeadGetsTheHeadAlone) {
  HttpClient client(port());
  client.Send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n" + Get("/echo"));
  EXPECT_THAT(client.Read(true).head, HasSubstr("Content-Length: 11\r\n"));
  EXPECT_EQ(client.Read().body, "GET /echo ");
  EXPECT_THAT(handler_.seen(), ElementsAre("HEAD /echo", "GET /echo"));
}

TEST_F(RequestFramingTest, Http10IsAnsweredAndClosed) {
  const std::string answer = Exchange("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(answer, AllOf(HasSubstr("Connection: close\r\n"), EndsWith("GET /echo ")));
}

TEST_F(RequestFramingTest, CloseIsHonoured) {
  const std::string answer =
      Exchange("GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + Get("/second"));
  EXPECT_THAT(answer, EndsWith("GET /echo "));
  EXPECT_THAT(handler_.seen(), ElementsAre("GET /echo"));
}

TEST_F(RequestFramingTest, HalfClosedClientGetsItsAnswer) {
  HttpClient client(port());
  client.Send(Get("/later"));
  client.CloseSending();
  handler_.TakeLater()(Response{});
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(RequestFramingTest, ExpectationIsAnsweredBeforeTheBody) {
  HttpClient client(port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("hello");
  EXPECT_EQ(client.Read().body, "POST /echo hello");
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Read().status, 413);
}

struct Refusal {
  std::string bytes;
  int code;
  const char* reason;
};

// Each is followed by a whole request on the same connection, which must never be executed.
TEST_F(RequestFramingTest, DoubtfulRequestsAreRefusedAndTheRestIsNotParsed) {
  const std::string head = "POST /echo HTTP/1.1\r\nHost: x\r\n";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string large(100000, 'h');
  const Refusal refusals[] = {
      {head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "CL+TE"},
      {head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400, "TE+CL"},
      {head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400, "two lengths"},
      {head + "Content-Length: 3, 3\r\n\r\nabc", 400, "a list of lengths"},
      {head + "Content-Length: +3\r\n\r\nabc", 400, "a sign"},
      {head + "Content-Length: 0x3\r\n\r\nabc", 400, "a hexadecimal length"},
      {head + "Content-Length: 99999999999999999999\r\n\r\n", 400, "length overflow"},
      {head + "Content-Length:\r\n\r\n", 400, "an empty length"},
      {head + "Transfer-Encoding: xchunked\r\n\r\n", 501, "another coding"},
      {head + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "two codings"},
      {head + "Transfer-Encoding: chunked, identity\r\n\r\n", 501, "chunked is not the last"},
      {head + "Transfer-Encoding: \"chunked\"\r\n\r\n", 501, "quoted"},
      {head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "twice"},
      {head + "Transfer-Encoding:\r\n chunked\r\n\r\n", 400, "folded"},
      {head + "X-Note: a\r\n b\r\n\r\n", 400, "folding in any header"},
      {head + "Transfer-Encoding : chunked\r\n\r\n", 400, "space before the colon"},
      {head + " Transfer-Encoding: chunked\r\n\r\n", 400, "space before the name"},
      {head + "Transfer\x0b-Encoding: chunked\r\n\r\n", 400, "a control in the name"},
      {head + "X-Note: a\rb\r\n\r\n", 400, "a bare CR"},
      {head + "X-Note: a\nX-Other: b\r\n\r\n", 400, "a bare LF"},
      {head + std::string("X-Note: a\0b\r\n\r\n", 15), 400, "a NUL"},
      {"GET /echo HTTP/1.1\nHost: x\n\n", 505, "lines that end in LF: a version that is none"},
      {"GET /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "chunks in HTTP/1.0"},
      {chunked + "10000000000000000\r\n", 400, "chunk size overflow"},
      {chunked + "-1\r\n", 400, "a negative chunk"},
      {chunked + "0x5\r\nhello\r\n", 400, "a prefix of the chunk size"},
      {chunked + "5\r\nhelloXX", 400, "no CRLF behind a chunk"},
      {chunked + "ffffffffffffffff\r\n", 413, "the largest chunk"},
      {chunked + "3e9\r\n", 413, "a chunk above the limit"},
      {chunked + "1;" + large, 431, "a chunk extension without end"},
      {chunked + "0\r\nX-Trailer: " + large, 431, "a trailer without end"},
      {head + "Content-Length: 1001\r\n\r\n", 413, "a body above the limit"},
      {"POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n", 413, "limit by path"},
      {head + "X-Note: " + large + "\r\n\r\n", 431, "a header too large"},
      {"GET /" + large + " HTTP/1.1\r\nHost: x\r\n\r\n", 431, "a target too large"},
      {"GET /echo HTTP/1.1\r\n\r\n", 400, "no Host"},
      {head + "Host: y\r\n\r\n", 400, "two Hosts"},
      {head + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 400, "upgrade to HTTP/2"},
      {head + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 400, "upgrade to a tunnel"},
      {"CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n", 405, "CONNECT"},
      {head + "Expect: a-miracle\r\n\r\n", 417, "an unknown expectation"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/2 preface"},
      {"GET /echo HTTP/1.2\r\nHost: x\r\n\r\n", 505, "another version"},
      {"GET /echo\r\n\r\n", 400, "HTTP/0.9"},
      {"GET  /echo HTTP/1.1\r\nHost: x\r\n\r\n", 400, "two spaces"},
      {"\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n", 400, "an empty line first"},
      {"\x16\x03\x01\x02\r\n\r\n", 400, "TLS where it is plain"},
      {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400, "no path"},
      {"GET /a%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "a broken escape in the path"},
      {"GET /a?b=%z HTTP/1.1\r\nHost: x\r\n\r\n", 400, "a broken escape in the query"},
  };
  for (const Refusal& r : refusals) {
    const std::string answer = Exchange(r.bytes + "\r\n" + Get("/smuggled"));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(r.code) + " ")) << r.reason;
    EXPECT_THAT(answer, HasSubstr("\"kind\":\"Status\"")) << r.reason;
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n")) << r.reason;
    EXPECT_EQ(answer.find("HTTP/1.1 ", 5), std::string::npos) << r.reason << ": a second answer";
  }
  EXPECT_THAT(handler_.seen(), IsEmpty());
  EXPECT_TRUE(Serves());
}

TEST_F(RequestFramingTest, TooLargeBodyIsAStatusThatNamesTheLimit) {
  const std::string answer =
      Exchange("POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world");
  EXPECT_THAT(answer, HasSubstr("\"message\":\"Request entity too large: limit is 10\""));
  EXPECT_THAT(answer, HasSubstr("\"reason\":\"RequestEntityTooLarge\""));
}

TEST_F(RequestFramingTest, UploadFarAboveTheLimitStillSeesTheAnswer) {
  HttpClient client(port());
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n");
  client.Send(std::string(4000000, 'x'));
  EXPECT_EQ(client.Read().status, 413);
}

TEST_F(RequestFramingTest, TrailerIsNoHeader) {
  HttpClient client(port());
  client.Send(
      "POST /user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
      "X-Remote-User: admin\r\n\r\n");
  EXPECT_EQ(client.Read().body, "user=");
}

TEST_F(RequestFramingTest, TrailerCannotChangeTheFraming) {
  HttpClient client(port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      Get("/smuggled"));
  EXPECT_EQ(client.Read().status, 400);
  EXPECT_THAT(handler_.seen(), IsEmpty());
}

TEST_F(RequestFramingTest, RedirectNeverLeaves) {
  HttpClient client(port());
  client.Send(Get("/moved"));
  const ClientResponse response = client.Read();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.head, Not(HasSubstr("Location")));
}

}  // namespace
}  // namespace asyncops::http
