#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <openssl/ssl.h>

#include "apiserver/tls/certificate_verifier.h"
#include "tests/integration/http/server_fixture.h"

namespace asyncops::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class TlsTest : public ServerFixture {
 protected:
  TlsTest() {
    options_.tls = true;
    options_.client_ca_pem = ca_.certificate_pem;
    certificate_ = Serving("first.example");
  }

  ServingCertificate Serving(const std::string& name) const {
    const tls::KeyPair pair = *tls::IssueServingCertificate(ca_, {name}, now_);
    return {pair.certificate_pem, pair.key_pem};
  }
  std::string PeerSeenBy(const tls::KeyPair* client_certificate) {
    HttpClient client(port(), {.tls = true, .client_certificate = client_certificate});
    client.Send(Get("/peer"));
    return client.Read().body;
  }

  const Time now_ = SystemClock().Now();
  const tls::KeyPair ca_ = tls::MakeCertificateAuthority("test-ca", now_).value();
};

TEST_F(TlsTest, RequestsAreServedOverBothVersions) {
  Start();
  for (const auto& [version, name] :
       {std::pair(TLS1_2_VERSION, "TLSv1.2"), std::pair(TLS1_3_VERSION, "TLSv1.3")}) {
    HttpClient client(port(), {.tls = true, .max_tls_version = version});
    ASSERT_TRUE(client.connected()) << name;
    EXPECT_EQ(client.TlsVersion(), name);
    for (int i = 0; i < 3; ++i) {
      client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
      EXPECT_EQ(client.Read().body, "POST /echo hello");
    }
    client.Send(Get("/large"));
    EXPECT_EQ(client.Read().body.size(), 8u * 1024 * 1024);
  }
}

TEST_F(TlsTest, OldVersionsAreRefused) {
  Start();
  HttpClient client(port(), {.tls = true, .max_tls_version = TLS1_1_VERSION});
  EXPECT_FALSE(client.connected());
}

TEST_F(TlsTest, AlpnIsHttp11Alone) {
  Start();
  HttpClient both(port(), {.tls = true, .alpn = "\x02h2\x08http/1.1"});
  ASSERT_TRUE(both.connected());
  EXPECT_EQ(both.Alpn(), "http/1.1");
  HttpClient none(port(), {.tls = true});
  EXPECT_TRUE(none.connected());
  HttpClient h2(port(), {.tls = true, .alpn = "\x02h2"});
  EXPECT_FALSE(h2.connected());
}

TEST_F(TlsTest, ClientCertificateIsHandedOverUnjudged) {
  Start();
  const tls::KeyPair ours = *tls::IssueClientCertificate(ca_, {"ada", {}}, now_);
  const tls::KeyPair stranger = *tls::MakeCertificateAuthority("stranger", now_);
  EXPECT_EQ(PeerSeenBy(nullptr), "none");
  EXPECT_THAT(PeerSeenBy(&ours), Not("none"));
  EXPECT_THAT(PeerSeenBy(&stranger), Not("none"));
  EXPECT_NE(PeerSeenBy(&ours), PeerSeenBy(&stranger));
  EXPECT_EQ(PeerSeenBy(&ours), PeerSeenBy(&ours));
}

TEST_F(TlsTest, NamesOfTheClientCasAreSent) {
  Start();
  EXPECT_EQ(HttpClient(port(), {.tls = true}).ClientCaNames(), 1);
  server_.reset();
  options_.client_ca_pem.clear();
  Start();
  const tls::KeyPair ours = *tls::IssueClientCertificate(ca_, {"ada", {}}, now_);
  EXPECT_EQ(PeerSeenBy(&ours), "none") << "not asked for, so not shown";
}

TEST_F(TlsTest, NewCertificateServesNewHandshakesOnly) {
  Start();
  HttpClient old(port(), {.tls = true});
  EXPECT_EQ(old.PeerCommonName(), "first.example");
  ASSERT_TRUE(server_->SetCertificate(Serving("second.example")).ok());
  EXPECT_EQ(HttpClient(port(), {.tls = true}).PeerCommonName(), "second.example");
  old.Send(Get("/echo"));
  EXPECT_EQ(old.Read().status, 200);
}

TEST_F(TlsTest, UnusableCertificateIsRefusedAndTheOldOneStays) {
  Start();
  const ServingCertificate other = Serving("other.example");
  for (const ServingCertificate& bad :
       {ServingCertificate{"", ""}, ServingCertificate{certificate_.certificate_pem, other.key_pem},
        ServingCertificate{other.certificate_pem, other.key_pem.substr(0, 90)}}) {
    const Status status = server_->SetCertificate(bad);
    EXPECT_EQ(status.reason(), Reason::kInternalError);
    EXPECT_THAT(status.message(), Not(HasSubstr("BEGIN")));
  }
  EXPECT_EQ(HttpClient(port(), {.tls = true}).PeerCommonName(), "first.example");
  EXPECT_FALSE(StartServer(options_, {"", ""}, handler_).ok());
  options_.client_ca_pem = "no certificate";
  EXPECT_FALSE(StartServer(options_, certificate_, handler_).ok());
}

TEST_F(TlsTest, PlainRequestIsToldSo) {
  Start();
  const std::string answer = Exchange(Get("/echo"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.0 400 "));
  EXPECT_THAT(answer, HasSubstr("Client sent an HTTP request to an HTTPS server."));
}

TEST_F(TlsTest, GarbageAndHalfHandshakesAreDropped) {
  options_.header_timeout = std::chrono::milliseconds(100);
  Start();
  Exchange(std::string(4096, '\x16'));
  Exchange(std::string("\x16\x03\x01\xff\xff\x01\x00\x00", 8));
  HttpClient silent(port());
  EXPECT_TRUE(silent.IsClosedByPeer());
  HttpClient client(port(), {.tls = true});
  client.Send(Get("/echo"));
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(TlsTest, FailedHandshakesAreCountedAndGoodOnesAreNot) {
  std::atomic<int> failed{0};
  options_.on_handshake_error = [&failed] { ++failed; };
  Start();
  {
    HttpClient client(port(), {.tls = true});
    client.Send(Get("/echo"));
    EXPECT_EQ(client.Read().status, 200);
  }
  EXPECT_EQ(failed, 0);
  Exchange(std::string(4096, '\x16'));
  EXPECT_EQ(failed, 1);
  Exchange(Get("/echo"));
  EXPECT_EQ(failed, 2);
}

TEST_F(TlsTest, ClientThatGoesIsNoticedDuringAStream) {
  Start();
  const auto stream = handler_.NextStream();
  HttpClient client(port(), {.tls = true});
  client.Send(Get("/stream"));
  ASSERT_TRUE(stream->AwaitStarted());
  stream->Push("one\n");
  EXPECT_THAT(client.ReadUntil("one\n\r\n"), HasSubstr("one\n"));
  client.Close();
  EXPECT_TRUE(stream->AwaitGone());
}

TEST_F(TlsTest, SlowReaderHoldsUpNobody) {
  Start();
  const auto flood = handler_.NextStream();
  flood->Flood();
  HttpClient slow(port(), {.tls = true, .receive_buffer_bytes = 4096});
  slow.Send(Get("/stream"));
  ASSERT_TRUE(flood->AwaitStarted());
  HttpClient quick(port(), {.tls = true});
  for (int i = 0; i < 100; ++i) {
    quick.Send(Get("/echo"));
    ASSERT_EQ(quick.Read().status, 200);
  }
}

TEST_F(TlsTest, PipelinedRequestsInOneRecordAreAllAnswered) {
  Start();
  HttpClient client(port(), {.tls = true});
  std::string many;
  for (int i = 0; i < 300; ++i) many += Get("/echo");
  client.Send(many);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(client.Read().status, 200) << i;
}

}  // namespace
}  // namespace asyncops::http
