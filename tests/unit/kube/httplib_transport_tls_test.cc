#include <gtest/gtest.h>

#include "apiserver/tls/ca.h"
#include "base/clock.h"
#include "kube/httplib_transport.h"
#include "tests/unit/kube/raw_server.h"
#include "tests/unit/kube/transport_calls.h"

namespace asyncops::kube {
namespace {

using std::chrono::hours;

Time Now() { return SystemClock().Now(); }

const tls::KeyPair& Authority() {
  static const tls::KeyPair ca = *tls::MakeCertificateAuthority("test CA", Now());
  return ca;
}

void AnswerAll(RawConnection& connection, int /*index*/) {
  while (!connection.ReadRequest().empty()) {
    if (!connection.Write(HttpAnswer("ok"))) return;
  }
}

OutboundRequest SecureRequest(int port, const std::string& host, const std::string& ca_pem) {
  OutboundRequest request = RequestTo(port, "POST");
  request.uri.scheme = "https";
  request.uri.host = host;
  TlsSettings settings;
  settings.ca_pem = ca_pem;
  request.tls = std::make_shared<const TlsSettings>(settings);
  return request;
}

tls::KeyPair ServingFor(const std::vector<std::string>& names, Time now = Now()) {
  return *tls::IssueServingCertificate(Authority(), names, now);
}

TEST(HttplibTransportTlsTest, AGoodCertificateIsAcceptedAndItsConnectionKept) {
  RawServer server(&AnswerAll, ServingFor({"localhost", "127.0.0.1"}));
  const auto transport = LoopbackTransport();
  for (const char* host : {"localhost", "127.0.0.1", "localhost"}) {
    const Exchange exchange =
        transport->Send(SecureRequest(server.port(), host, Authority().certificate_pem));
    EXPECT_EQ(Show(exchange), "Answered 200 ok") << exchange.error;
  }
  EXPECT_EQ(server.connections(), 2) << "one for each origin";
}

TEST(HttplibTransportTlsTest, ABadCertificateIsRefusedBeforeAByteOfTheRequest) {
  struct Case {
    tls::KeyPair certificate;
    std::string host;
    std::string ca;
    const char* says;
    const char* reason;
  };
  const std::string ca = Authority().certificate_pem;
  const tls::KeyPair stranger = *tls::MakeCertificateAuthority("another CA", Now());
  const std::vector<Case> cases = {
      {MakeCnOnlyCertificate(Authority(), "localhost"), "localhost", ca, "subject alternative name",
       "the CN never counts"},
      {MakeCnOnlyCertificate(Authority(), "127.0.0.1"), "127.0.0.1", ca, "subject alternative name",
       "the CN never counts for an address either"},
      {ServingFor({"other.example"}), "localhost", ca, "subject alternative name",
       "the name of another host"},
      {ServingFor({"localhost"}), "127.0.0.1", ca, "subject alternative name",
       "a name is no address"},
      {ServingFor({"localhost"}, Now() - 2 * tls::kLeafLifetime), "localhost", ca, "expired",
       "its time is over"},
      {ServingFor({"localhost"}, Now() + hours(48)), "localhost", ca, "not yet valid",
       "its time has not come"},
      {ServingFor({"localhost"}), "localhost", stranger.certificate_pem, "refused",
       "a CA that nobody named"},
      {stranger, "localhost", ca, "refused", "signed by itself"},
      {ServingFor({"localhost"}), "localhost", "", "refused", "not of the system's CAs"},
  };
  for (const Case& item : cases) {
    RawServer server(&AnswerAll, item.certificate);
    const Exchange exchange =
        LoopbackTransport()->Send(SecureRequest(server.port(), item.host, item.ca));
    EXPECT_EQ(Show(exchange), "NotSent TLSFailed") << item.reason;
    EXPECT_NE(exchange.error.find(item.says), std::string::npos)
        << item.reason << ": " << exchange.error;
    EXPECT_TRUE(server.requests().empty()) << item.reason;
  }
}

TEST(HttplibTransportTlsTest, AServerWithoutTlsIsNotSent) {
  RawServer server([](RawConnection& connection, int) {
    connection.Write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    connection.PeerGone(std::chrono::seconds(5));
  });
  const Exchange exchange = LoopbackTransport()->Send(
      SecureRequest(server.port(), "localhost", Authority().certificate_pem));
  EXPECT_EQ(Show(exchange), "NotSent TLSFailed") << exchange.error;
}

TEST(HttplibTransportTlsTest, AServerThatIsSilentInTheHandshakeIsLeftAfterTheTimeout) {
  RawServer server(
      [](RawConnection& connection, int) { connection.PeerGone(std::chrono::seconds(20)); });
  OutboundRequest request = SecureRequest(server.port(), "localhost", Authority().certificate_pem);
  request.timeout = std::chrono::milliseconds(200);
  EXPECT_EQ(Show(LoopbackTransport()->Send(request)), "NotSent Timeout");
}

TEST(HttplibTransportTlsTest, AConnectionIsNotSharedBetweenTrusts) {
  RawServer server(&AnswerAll, ServingFor({"localhost"}));
  const auto transport = LoopbackTransport();
  const std::string ca = Authority().certificate_pem;
  EXPECT_EQ(Show(transport->Send(SecureRequest(server.port(), "localhost", ca))),
            "Answered 200 ok");
  EXPECT_EQ(Show(transport->Send(SecureRequest(server.port(), "localhost", ""))),
            "NotSent TLSFailed");
}

TEST(HttplibTransportTlsTest, AnotherNameIsVerifiedWhereTheRequestSaysSo) {
  RawServer server(&AnswerAll, ServingFor({"kubernetes.default"}));
  const auto transport = LoopbackTransport();
  OutboundRequest request = SecureRequest(server.port(), "127.0.0.1", Authority().certificate_pem);
  EXPECT_EQ(Show(transport->Send(request)), "NotSent TLSFailed");
  request.tls_server_name = "kubernetes.default";
  EXPECT_EQ(Show(transport->Send(request)), "Answered 200 ok");
  ASSERT_EQ(server.server_names().size(), 2U);
  EXPECT_EQ(server.server_names()[0], "") << "an address is no SNI";
  EXPECT_EQ(server.server_names()[1], "kubernetes.default");
  request.tls_server_name = "another.name";
  EXPECT_EQ(Show(transport->Send(request)), "NotSent TLSFailed")
      << "a connection that was verified for one name serves no other";
}

TEST(HttplibTransportTlsTest, WhatIsNoPemIsRefusedWithoutACall) {
  RawServer server(&AnswerAll, ServingFor({"localhost"}));
  const auto transport = LoopbackTransport();
  EXPECT_EQ(Show(transport->Send(SecureRequest(server.port(), "localhost", "nonsense"))),
            "NotSent TLSFailed");
  const tls::KeyPair client = *tls::IssueClientCertificate(Authority(), {"client", {}}, Now());
  TlsSettings settings{Authority().certificate_pem, client.certificate_pem, Authority().key_pem};
  OutboundRequest request = SecureRequest(server.port(), "localhost", "");
  request.tls = std::make_shared<const TlsSettings>(settings);
  const Exchange exchange = transport->Send(request);
  EXPECT_EQ(Show(exchange), "NotSent TLSFailed") << "the key of another certificate";
  EXPECT_EQ(exchange.error.find("BEGIN"), std::string::npos) << exchange.error;
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttplibTransportTlsTest, AnAnswerThatEndsWithoutCloseNotifyIsAmbiguous) {
  RawServer server(
      [](RawConnection& connection, int) {
        connection.ReadRequest();
        connection.Write("HTTP/1.1 200 OK\r\n\r\nhalf of it, perhaps");
        connection.Reset();
      },
      ServingFor({"localhost"}));
  const Exchange exchange = LoopbackTransport()->Send(
      SecureRequest(server.port(), "localhost", Authority().certificate_pem));
  EXPECT_EQ(exchange.outcome, Exchange::Outcome::kAmbiguous);
}

}  // namespace
}  // namespace asyncops::kube
