#include "kube/httplib_transport.h"

#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/kube/raw_server.h"
#include "tests/unit/kube/transport_calls.h"

namespace asyncops::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Answers each request of a connection with the same bytes.
RawServer::Handler Repeat(std::string answer) {
  return [answer = std::move(answer)](RawConnection& connection, int) {
    while (!connection.ReadRequest().empty()) {
      if (!connection.Write(answer)) return;
    }
  };
}

// Answers one request with these bytes, and ends the connection.
RawServer::Handler Once(std::string answer) {
  return [answer = std::move(answer)](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.Write(answer);
  };
}

Duration Elapsed(SteadyTime since) {
  return std::chrono::duration_cast<Duration>(SystemClock().SteadyNow() - since);
}

// A port of this machine that nobody listens on.
int ClosedPort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(fd);
  return ntohs(address.sin_port);
}

TEST(HttplibTransportTest, SendsTheRequestAsItIsAndReadsTheAnswer) {
  RawServer server(Repeat(HttpAnswer("{\"id\":1}", "X-A: 1\r\nx-a: 2\r\n")));
  OutboundRequest request = RequestTo(server.port(), "POST");
  request.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "k1"}};
  request.body = "{\"a\":1}";
  const Exchange exchange = LoopbackTransport()->Send(request);
  EXPECT_EQ(Show(exchange), "Answered 200 {\"id\":1}");
  EXPECT_EQ(exchange.response.headers.size(), 3U);
  ASSERT_EQ(server.requests().size(), 1U);
  const std::string sent = server.requests()[0];
  EXPECT_EQ(sent.substr(0, sent.find("\r\n")), "POST /v1/things?x=1 HTTP/1.1");
  for (const std::string& line :
       {"Host: 127.0.0.1:" + std::to_string(server.port()), std::string("Content-Length: 7"),
        std::string("Content-Type: application/json"), std::string("Idempotency-Key: k1")}) {
    EXPECT_NE(sent.find("\r\n" + line + "\r\n"), std::string::npos) << line << " in " << sent;
  }
  EXPECT_EQ(sent.substr(sent.size() - 7), "{\"a\":1}");
}

TEST(HttplibTransportTest, KeepsAConnectionForTheNextRequest) {
  RawServer server(Repeat(HttpAnswer("ok")));
  const auto transport = LoopbackTransport();
  for (const char* method : {"GET", "POST", "DELETE", "GET"})
    EXPECT_EQ(Show(transport->Send(RequestTo(server.port(), method))), "Answered 200 ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttplibTransportTest, AnswersAreReadInEveryFormOfFraming) {
  struct Case {
    std::string answer;
    std::string shown;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
       "Answered 200 abcde", "chunks"},
      {"HTTP/1.0 200 OK\r\n\r\nold", "Answered 200 old", "HTTP/1.0 ends with its connection"},
      {"HTTP/1.1 200 OK\r\n\r\nuntil the end", "Answered 200 until the end", "no length at all"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "Answered 204 ", "no body"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "Answered 200 ", "an empty body"},
      {"HTTP/1.1 100 Continue\r\n\r\n" + HttpAnswer("x"), "Answered 200 x",
       "100 comes before the answer"},
      {"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n", "Answered 302 ",
       "redirects are the caller's"},
      {"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", "Answered 500 no",
       "an error is an answer"},
  };
  for (const Case& item : cases) {
    RawServer server(Once(item.answer));
    EXPECT_EQ(Show(LoopbackTransport()->Send(RequestTo(server.port(), "POST"))), item.shown)
        << item.reason;
    EXPECT_EQ(server.requests().size(), 1U) << item.reason;
  }
}

TEST(HttplibTransportTest, WhatIsNoCompleteAnswerIsAmbiguousAndNotSentAgain) {
  struct Case {
    std::string answer;
    std::string shown;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {"", "Ambiguous ConnectionReset", "closed without an answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "Ambiguous ConnectionReset",
       "half an answer"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "Ambiguous ConnectionReset",
       "half a chunk"},
      {"HTTP/1.1 200 OK\r\nX-A", "Ambiguous ConnectionReset", "half a header"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "Ambiguous MalformedResponse", "another protocol"},
      {"\x15\x03\x01\x02\x02\r\n\r\n", "Ambiguous MalformedResponse", "TLS on a plain port"},
      {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "Ambiguous MalformedResponse",
       "a length that is no number"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
       "Ambiguous MalformedResponse", "two lengths"},
      {"HTTP/1.1 103 Early\r\n\r\n", "Ambiguous", "a status that is no end"},
      {"HTTP/1.1 200 " + std::string(300000, 'a') + "\r\n\r\n", "Ambiguous ResponseTooLarge",
       "a status line that would exhaust the stack of a recursive matcher"},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(100000, 'a') + "\r\n\r\n",
       "Ambiguous ResponseTooLarge", "a header without end"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + std::string(2000000, 'a'),
       "Ambiguous ResponseTooLarge", "a body beyond the bound"},
  };
  for (const Case& item : cases) {
    RawServer server(Once(item.answer));
    const Exchange exchange = LoopbackTransport()->Send(RequestTo(server.port(), "POST"));
    EXPECT_EQ(Show(exchange).substr(0, item.shown.size()), item.shown)
        << item.reason << ": " << exchange.error;
    EXPECT_EQ(server.requests().size(), 1U) << item.reason;
    EXPECT_FALSE(exchange.error.empty()) << item.reason;
  }
}

TEST(HttplibTransportTest, ABodyWithoutEndIsCutAtTheBound) {
  RawServer server([](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "1000\r\n" + std::string(4096, 'x') + "\r\n";
    while (connection.Write(chunk)) {
    }
  });
  EXPECT_EQ(Show(LoopbackTransport()->Send(RequestTo(server.port()))),
            "Ambiguous ResponseTooLarge");
}

TEST(HttplibTransportTest, AResetIsAmbiguousOnceTheRequestWasSent) {
  RawServer server([](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.Reset();
  });
  EXPECT_EQ(Show(LoopbackTransport()->Send(RequestTo(server.port(), "POST"))),
            "Ambiguous ConnectionReset");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttplibTransportTest, NothingWasSentWhereNobodyListens) {
  const Exchange exchange = LoopbackTransport()->Send(RequestTo(ClosedPort(), "POST"));
  EXPECT_EQ(Show(exchange), "NotSent ConnectionRefused");
  EXPECT_NE(exchange.error.find("127.0.0.1"), std::string::npos) << exchange.error;
}

TEST(HttplibTransportTest, ASilentServerIsLeftAfterTheTimeout) {
  RawServer server([](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.PeerGone(seconds(20));
  });
  OutboundRequest request = RequestTo(server.port(), "POST");
  request.timeout = milliseconds(200);
  const SteadyTime start = SystemClock().SteadyNow();
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Ambiguous Timeout");
  EXPECT_GE(Elapsed(start), milliseconds(200));
  EXPECT_LT(Elapsed(start), seconds(5));
}

TEST(HttplibTransportTest, ATricklingServerDoesNotOutlastTheTimeout) {
  for (const std::string start :
       {"HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"}) {
    RawServer server([start](RawConnection& connection, int) {
      connection.ReadRequest();
      connection.Write(start);
      while (!connection.PeerGone(milliseconds(10)) && connection.Write("a")) {
      }
    });
    OutboundRequest request = RequestTo(server.port());
    request.timeout = milliseconds(300);
    const SteadyTime begin = SystemClock().SteadyNow();
    EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Ambiguous Timeout") << start;
    EXPECT_LT(Elapsed(begin), seconds(5)) << start;
  }
}

// The first connection answers once and is closed by the second request on it.
RawServer::Handler DiesWhenUsedAgain() {
  return [](RawConnection& connection, int index) {
    connection.ReadRequest();
    connection.Write(HttpAnswer("first"));
    if (connection.ReadRequest().empty() || index == 0) return;
    connection.Write(HttpAnswer("again"));
  };
}

TEST(HttplibTransportTest, AGetIsSentAgainWhereAKeptConnectionDies) {
  RawServer server(DiesWhenUsedAgain());
  const auto transport = LoopbackTransport();
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port()))), "Answered 200 first");
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port()))), "Answered 200 first");
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttplibTransportTest, APostIsNeverSentAgainWhereAKeptConnectionDies) {
  RawServer server(DiesWhenUsedAgain());
  const auto transport = LoopbackTransport();
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port()))), "Answered 200 first");
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port(), "POST"))), "Ambiguous ConnectionReset");
  EXPECT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttplibTransportTest, GetsAreAnsweredWhereEachConnectionServesOneRequest) {
  // The close may be seen before the next request is sent, or after it.
  RawServer server(Once(HttpAnswer("ok")));
  const auto transport = LoopbackTransport();
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port(), "POST"))), "Answered 200 ok");
  int answered = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string shown = Show(transport->Send(RequestTo(server.port())));
    answered += shown == "Answered 200 ok" ? 1 : 0;
  }
  EXPECT_EQ(answered, 20);
}

TEST(HttplibTransportTest, BytesThatNobodyAskedForNeverBecomeAnAnswer) {
  RawServer server([](RawConnection& connection, int index) {
    connection.ReadRequest();
    connection.Write(HttpAnswer("mine") + (index == 0 ? HttpAnswer("forged") : ""));
    connection.PeerGone(seconds(5));
  });
  const auto transport = LoopbackTransport();
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port()))), "Answered 200 mine");
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port()))), "Answered 200 mine");
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttplibTransportTest, WhatWouldSplitARequestIsNotSent) {
  RawServer server(Repeat(HttpAnswer("ok")));
  const auto transport = LoopbackTransport();
  struct Case {
    std::pair<std::string, std::string> header;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {{"X-A", "v\r\nX-Admin: yes"}, "a line break in a value"},
      {{"X-A", std::string("v\0w", 3)}, "NUL in a value"},
      {{"X-A: v\r\nX-B", "w"}, "a line break in a name"},
      {{"", "w"}, "no name"},
      {{"Content-Length", "3"}, "a length of the caller's"},
      {{"transfer-encoding", "chunked"}, "a framing of the caller's"},
      {{"Host", "other"}, "another host"},
  };
  for (const Case& item : cases) {
    OutboundRequest request = RequestTo(server.port(), "POST");
    request.headers = {item.header};
    const Exchange exchange = transport->Send(request);
    EXPECT_EQ(Show(exchange), "NotSent RequestRefused") << item.reason;
    EXPECT_EQ(exchange.error.find("yes"), std::string::npos) << "values may be secrets";
  }
  OutboundRequest request = RequestTo(server.port());
  request.uri.target = "/a b\r\nX: y";
  EXPECT_EQ(Show(transport->Send(request)), "NotSent RequestRefused");
  request = RequestTo(server.port(), "GET /x");
  EXPECT_EQ(Show(transport->Send(request)), "NotSent RequestRefused");
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttplibTransportTest, LoopbackIsRefusedByDefaultAlsoByName) {
  RawServer server(Repeat(HttpAnswer("ok")));
  const auto transport = MakeHttplibTransport(OutboundPolicy({}));
  OutboundRequest request = RequestTo(server.port());
  for (const char* host : {"127.0.0.1", "localhost"}) {
    request.uri.host = host;
    const Exchange exchange = transport->Send(request);
    EXPECT_EQ(Show(exchange), "NotSent AddressRefused") << host;
    EXPECT_NE(exchange.error.find("--allow-outbound"), std::string::npos) << exchange.error;
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttplibTransportTest, MetadataIsRefusedWhateverIsAllowed) {
  const auto transport =
      MakeHttplibTransport(OutboundPolicy({*ParseCidr("0.0.0.0/0"), *ParseCidr("::/0")}));
  OutboundRequest request = RequestTo(80);
  request.uri.host = "169.254.169.254";
  EXPECT_EQ(Show(transport->Send(request)), "NotSent AddressRefused");
}

TEST(HttplibTransportTest, AnAllowedNameIsResolvedAndCalled) {
  RawServer server(Repeat(HttpAnswer("ok")));
  OutboundRequest request = RequestTo(server.port());
  request.uri.host = "localhost";
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Answered 200 ok");
}

TEST(HttplibTransportTest, ANameWithoutAddressIsNotSent) {
  OutboundRequest request = RequestTo(80);
  request.uri.host = "no-such-host.invalid";
  EXPECT_EQ(LoopbackTransport()->Send(request).outcome, Exchange::Outcome::kNotSent);
}

TEST(HttplibTransportTest, IPv6LiteralsAreCalledAndWrittenInBrackets) {
  RawServer server(Repeat(HttpAnswer("six")), std::nullopt, true);
  OutboundRequest request = RequestTo(server.port());
  request.uri.host = "::1";
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Answered 200 six");
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_NE(server.requests()[0].find("Host: [::1]:"), std::string::npos) << server.requests()[0];
}

TEST(HttplibTransportTest, CancelCutsACallAndRefusesLaterOnes) {
  std::atomic<bool> reached = false;
  const auto transport = LoopbackTransport();
  HttpTransport& calls = *transport;
  RawServer server([&reached, &calls](RawConnection& connection, int) {
    connection.ReadRequest();
    reached = true;
    calls.Cancel();
    connection.PeerGone(seconds(20));
  });
  const SteadyTime start = SystemClock().SteadyNow();
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port(), "POST"))), "Ambiguous Canceled");
  EXPECT_LT(Elapsed(start), seconds(5));
  EXPECT_TRUE(reached);
  EXPECT_EQ(Show(transport->Send(RequestTo(server.port()))), "NotSent Canceled");
}

TEST(HttplibTransportTest, ThreadsCallAtTheSameTime) {
  RawServer server(Repeat(HttpAnswer("ok")));
  const auto transport = LoopbackTransport();
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&transport, &answered, port = server.port()] {
      for (int call = 0; call < 25; ++call)
        answered += Show(transport->Send(RequestTo(port))) == "Answered 200 ok" ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 200);
  EXPECT_LE(server.connections(), 200);
}

}  // namespace
}  // namespace asyncops::kube
