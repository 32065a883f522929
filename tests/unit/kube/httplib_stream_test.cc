// Bodies that are received as they come: what a watch stands on.
#include <atomic>
#include <future>
#include <gtest/gtest.h>

#include "apiserver/tls/ca.h"
#include "base/clock.h"
#include "kube/httplib_transport.h"
#include "tests/unit/kube/raw_server.h"
#include "tests/unit/kube/transport_calls.h"

namespace asyncops::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

RawServer::Handler Once(std::string answer) {
  return [answer = std::move(answer)](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.Write(answer);
  };
}

// A request that appends what it receives; false once it is `most` bytes or more.
OutboundRequest Receiving(int port, std::string* got, std::size_t most = std::string::npos) {
  OutboundRequest request = RequestTo(port);
  request.receive = [got, most](std::string_view bytes) {
    got->append(bytes);
    return got->size() < most;
  };
  return request;
}

TEST(HttplibStreamTest, ABodyIsReceivedInEveryFormOfFraming) {
  struct Case {
    std::string answer;
    const char* shown;
    const char* got;
    const char* reason;
  };
  const std::string chunked = kChunked;
  const std::vector<Case> cases = {
      {chunked + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "Answered 200 ", "abcde", "chunks"},
      {HttpAnswer("abc"), "Answered 200 ", "abc", "a length"},
      {"HTTP/1.1 200 OK\r\n\r\nabc", "Answered 200 ", "abc", "until the end"},
      {chunked + "3\r\nabc\r\n5\r\nde", "Ambiguous ConnectionReset", "abcde", "cut in a chunk"},
      {chunked + "3\r\nabc\r\n", "Ambiguous ConnectionReset", "abc", "cut between chunks"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "Ambiguous ConnectionReset", "abc",
       "cut before its length"},
      {"HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\ngone", "Answered 410 gone", "",
       "another answer is collected as ever"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
       "Ambiguous MalformedResponse", "", "nothing of what cannot be trusted"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "Answered 204 ", "", "no body"},
  };
  for (const Case& item : cases) {
    RawServer server(Once(item.answer));
    std::string got;
    EXPECT_EQ(Show(LoopbackTransport()->Send(Receiving(server.port(), &got))), item.shown)
        << item.reason;
    EXPECT_EQ(got, item.got) << item.reason;
  }
}

TEST(HttplibStreamTest, PiecesAreReceivedBeforeTheNextIsSent) {
  std::atomic<int> received = 0;
  RawServer server([&received](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.Write(kChunked);
    for (int i = 0; i < 3; ++i) {
      connection.Write("1\r\nx\r\n");
      while (received <= i && !connection.PeerGone(milliseconds(1))) continue;
    }
    connection.Write("0\r\n\r\n");
  });
  OutboundRequest request = RequestTo(server.port());
  request.receive = [&received](std::string_view) {
    ++received;
    return true;
  };
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Answered 200 ");
  EXPECT_EQ(received, 3);
}

TEST(HttplibStreamTest, AStreamHasNoBoundOfBytesAndAnErrorHas) {
  const std::string large(200u * 1024, 'x');
  std::string got;
  RawServer server(Once(HttpAnswer(large)));
  OutboundRequest request = Receiving(server.port(), &got);
  request.max_body_bytes = 10;
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Answered 200 ");
  EXPECT_EQ(got.size(), large.size());
  RawServer failing(Once("HTTP/1.1 500 Oh\r\nContent-Length: 11\r\n\r\nhello world"));
  request.uri.port = failing.port();
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Ambiguous ResponseTooLarge");
}

TEST(HttplibStreamTest, FalseEndsTheCallAndItsConnection) {
  std::promise<bool> gone;
  RawServer server([&gone](RawConnection& connection, int index) {
    connection.ReadRequest();
    connection.Write(std::string(kChunked) + "3\r\nabc\r\n");
    const bool left = connection.PeerGone(seconds(20));
    if (index == 0) gone.set_value(left);
  });
  std::string got;
  const auto transport = LoopbackTransport();
  const Exchange exchange = transport->Send(Receiving(server.port(), &got, 1));
  EXPECT_EQ(Show(exchange), "Answered 200 ");
  EXPECT_FALSE(exchange.response.headers.empty());
  EXPECT_EQ(got, "abc");
  got.clear();
  EXPECT_EQ(Show(transport->Send(Receiving(server.port(), &got, 1))), "Answered 200 ");
  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(gone.get_future().get());
}

TEST(HttplibStreamTest, AStreamThatEndsWellLeavesItsConnection) {
  RawServer server([](RawConnection& connection, int) {
    while (!connection.ReadRequest().empty())
      connection.Write(std::string(kChunked) + "3\r\nabc\r\n0\r\n\r\n");
  });
  const auto transport = LoopbackTransport();
  std::string got;
  EXPECT_EQ(Show(transport->Send(Receiving(server.port(), &got))), "Answered 200 ");
  EXPECT_EQ(Show(transport->Send(Receiving(server.port(), &got))), "Answered 200 ");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttplibStreamTest, TheTimeoutBoundsAStreamAndCancelCutsIt) {
  const auto transport = LoopbackTransport();
  std::atomic<HttpTransport*> cancels = nullptr;
  RawServer server([&cancels](RawConnection& connection, int) {
    connection.ReadRequest();
    connection.Write(std::string(kChunked) + "3\r\nabc\r\n");
    if (cancels != nullptr) cancels.load()->Cancel();
    connection.PeerGone(seconds(20));
  });
  std::string got;
  OutboundRequest request = Receiving(server.port(), &got);
  request.timeout = milliseconds(200);
  EXPECT_EQ(Show(transport->Send(request)), "Ambiguous Timeout");
  EXPECT_EQ(got, "abc");
  cancels = transport.get();
  request.timeout = seconds(20);
  EXPECT_EQ(Show(transport->Send(request)), "Ambiguous Canceled");
}

TEST(HttplibStreamTest, AStreamOverTlsThatIsCutIsAmbiguous) {
  const Time now = SystemClock().Now();
  const tls::KeyPair ca = *tls::MakeCertificateAuthority("test CA", now);
  RawServer server(
      [](RawConnection& connection, int index) {
        connection.ReadRequest();
        connection.Write(std::string(kChunked) + "3\r\nabc\r\n");
        if (index == 0) connection.Write("0\r\n\r\n");
        if (index == 1) connection.Reset();
      },
      *tls::IssueServingCertificate(ca, {"127.0.0.1"}, now));
  std::string got;
  OutboundRequest request = Receiving(server.port(), &got);
  request.uri.scheme = "https";
  request.tls = std::make_shared<TlsSettings>(TlsSettings{ca.certificate_pem, "", ""});
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Answered 200 ");
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Ambiguous ConnectionReset") << "reset";
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "Ambiguous ConnectionReset") << "closed";
  // A reset may throw away what the peer had not read yet.
  EXPECT_GE(got.size(), 6U);
}

}  // namespace
}  // namespace asyncops::kube
