// Who is believed: every certificate with every form of the identity headers, through real TLS.

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/delegated_authenticator.h"
#include "tests/integration/http/server_fixture.h"

namespace asyncops::http {
namespace {

constexpr std::string_view kProxyName = "front-proxy-client";

// Answers with who asks: "name group group", or 401.
class WhoHandler final : public Handler {
 public:
  explicit WhoHandler(const apiserver::Authenticator& authenticator)
      : authenticator_(authenticator) {}
  void Handle(Request request, Responder respond) override {
    authenticator_.Authenticate(request, [respond](apiserver::Authentication user) {
      Response response;
      response.status = user.ok() ? 200 : 401;
      if (user.ok()) response.body = (*user)->name;
      for (const std::string& group : user.ok() ? (*user)->groups : std::vector<std::string>())
        response.body += " " + group;
      respond(std::move(response));
    });
  }
  std::size_t MaxBodyBytes(const Request& /*head*/) const override { return 1000; }

 private:
  const apiserver::Authenticator& authenticator_;
};

class TrustTest : public testing::Test {
 protected:
  TrustTest() {
    config_.client_ca_pem = client_ca_.certificate_pem;
    config_.request_header = {.ca_pem = proxy_ca_.certificate_pem,
                              .allowed_names = {std::string(kProxyName)},
                              .username_headers = {"X-Remote-User"},
                              .group_headers = {"X-Remote-Group"},
                              .extra_header_prefixes = {"X-Remote-Extra-"},
                              .uid_headers = {"X-Remote-Uid"}};
    EXPECT_TRUE(delegated_->Set(config_).ok());
    ServerOptions options;
    options.client_ca_pem = client_ca_.certificate_pem + proxy_ca_.certificate_pem;
    const tls::KeyPair pair = *tls::IssueServingCertificate(client_ca_, {"localhost"}, now_);
    auto server = StartServer(options, {pair.certificate_pem, pair.key_pem}, handler_);
    EXPECT_TRUE(server.ok());
    server_ = *std::move(server);
  }
  tls::KeyPair Issue(const tls::KeyPair& ca, std::string_view name, Time at) const {
    return *tls::IssueClientCertificate(ca, {std::string(name), {"dev"}}, at);
  }
  static std::unique_ptr<apiserver::UnionAuthenticator> MakeUnion(
      apiserver::DelegatedAuthenticator** delegated, const Clock& clock) {
    std::vector<std::unique_ptr<apiserver::Authenticator>> all;
    auto made = std::make_unique<apiserver::DelegatedAuthenticator>(clock);
    *delegated = made.get();
    all.push_back(std::move(made));
    return std::make_unique<apiserver::UnionAuthenticator>(std::move(all));
  }
  static std::string Ask(HttpClient& client, const std::string& headers) {
    client.Send("GET / HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
    const ClientResponse answer = client.Read();
    return answer.status == 200 ? answer.body : std::to_string(answer.status);
  }
  std::string AskAs(const tls::KeyPair* pair, const std::string& headers) const {
    HttpClient client(server_->port(), {.tls = true, .client_certificate = pair});
    return Ask(client, headers);
  }

  const SystemClock clock_;
  const Time now_ = clock_.Now();
  const tls::KeyPair client_ca_ = tls::MakeCertificateAuthority("client-ca", now_).value();
  const tls::KeyPair proxy_ca_ = tls::MakeCertificateAuthority("proxy-ca", now_).value();
  const tls::KeyPair strange_ca_ = tls::MakeCertificateAuthority("proxy-ca", now_).value();
  apiserver::DelegatedAuthenticationConfig config_;
  apiserver::DelegatedAuthenticator* delegated_ = nullptr;
  const std::unique_ptr<apiserver::UnionAuthenticator> union_ = MakeUnion(&delegated_, clock_);
  WhoHandler handler_{*union_};
  std::unique_ptr<Server> server_;
};

// What each form comes to where the proxy sends it; nobody else's changes anything.
struct HeaderRow {
  std::string_view form;
  std::string headers;
  std::string from_proxy;
  bool malformed = false;  // refused before anybody asks who it is
};

constexpr char kNobody[] = "system:anonymous system:unauthenticated";

const std::vector<HeaderRow>& HeaderRows() {
  static const std::vector<HeaderRow> rows = {
      {"none", "", kNobody},
      {"one", "X-Remote-User: eve\r\n", "eve system:authenticated"},
      {"with groups",
       "X-Remote-User: eve\r\nX-Remote-Group: system:masters\r\nX-Remote-Group: b\r\n",
       "eve system:masters b system:authenticated"},
      {"other case", "x-reMOTE-user: eve\r\nX-REMOTE-GROUP: a\r\n", "eve a system:authenticated"},
      {"empty", "X-Remote-User:\r\nX-Remote-Group: system:masters\r\n", kNobody},
      {"groups alone", "X-Remote-Group: system:masters\r\n", kNobody},
      {"duplicate", "X-Remote-User: eve\r\nX-Remote-User: ada\r\n", "401"},
      {"duplicate, other case", "X-Remote-User: eve\r\nx-remote-user: ada\r\n", "401"},
      {"duplicate UID", "X-Remote-User: eve\r\nX-Remote-Uid: 1\r\nX-Remote-Uid: 2\r\n", "401"},
      {"underscores", "X_Remote_User: eve\r\nX_Remote_Group: system:masters\r\n", kNobody},
      {"underscores beside", "X-Remote-User: eve\r\nX_Remote_Group: system:masters\r\n",
       "eve system:authenticated"},
      {"in Connection", "X-Remote-User: eve\r\nConnection: X-Remote-User\r\n", "401"},
      {"group in Connection",
       "X-Remote-User: eve\r\nX-Remote-Group: a\r\nConnection: keep-alive, x-remote-group\r\n",
       "401"},
      {"another name", "X-Remote-Users: eve\r\nRemote-User: eve\r\nX-Forwarded-User: eve\r\n",
       kNobody},
      {"in a trailer", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Remote-User: eve\r\n",
       kNobody},
      {"nobody by name", "X-Remote-User: system:anonymous\r\n", "system:anonymous"},
      {"blank before the colon", "X-Remote-User : eve\r\n", "400", true},
      {"folded", "X-Other: a\r\n X-Remote-User: eve\r\n", "400", true},
      {"a bare line feed", "X-Other: a\nX-Remote-User: eve\r\n", "400", true},
      {"upgrade", "X-Remote-User: eve\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", "400", true},
  };
  return rows;
}

TEST_F(TrustTest, HeadersCountOfTheFrontProxyAlone) {
  const tls::KeyPair proxy = Issue(proxy_ca_, kProxyName, now_);
  const tls::KeyPair client = Issue(client_ca_, "ada", now_);
  const tls::KeyPair posing_client = Issue(client_ca_, kProxyName, now_);
  const tls::KeyPair other_name = Issue(proxy_ca_, "somebody", now_);
  const tls::KeyPair wrong_ca = Issue(strange_ca_, kProxyName, now_);
  const tls::KeyPair expired = Issue(proxy_ca_, kProxyName, now_ - 2 * tls::kLeafLifetime);
  const tls::KeyPair early = Issue(proxy_ca_, kProxyName, now_ + tls::kLeafLifetime);
  const tls::KeyPair wrong_use =
      *tls::IssueServingCertificate(proxy_ca_, {std::string(kProxyName)}, now_);
  const tls::KeyPair expired_client = Issue(client_ca_, "ada", now_ - 2 * tls::kLeafLifetime);
  const tls::KeyPair client_use = *tls::IssueServingCertificate(client_ca_, {"ada"}, now_);
  struct CertificateRow {
    std::string_view certificate;
    const tls::KeyPair* pair;
    std::string who;  // whatever the headers; "" where they count
  };
  const std::vector<CertificateRow> certificates = {
      {"the front proxy's", &proxy, ""},
      {"none", nullptr, kNobody},
      {"of the client CA", &client, "ada dev system:authenticated"},
      {"of the client CA, with the proxy's name", &posing_client,
       std::string(kProxyName) + " dev system:authenticated"},
      {"of the proxy CA, another name", &other_name, kNobody},
      {"of another CA of the same name", &wrong_ca, kNobody},
      {"expired", &expired, kNobody},
      {"not yet valid", &early, kNobody},
      {"of the proxy CA, for servers", &wrong_use, kNobody},
      {"of the client CA, expired", &expired_client, kNobody},
      {"of the client CA, for servers", &client_use, kNobody},
      {"the proxy CA itself", &proxy_ca_, kNobody},
      {"self-signed", &strange_ca_, kNobody},
  };
  for (const CertificateRow& certificate : certificates) {
    for (const HeaderRow& row : HeaderRows()) {
      const std::string expected =
          row.malformed || certificate.who.empty() ? row.from_proxy : certificate.who;
      EXPECT_EQ(AskAs(certificate.pair, row.headers), expected)
          << "certificate: " << certificate.certificate << "; headers: " << row.form;
    }
  }
}

// What one request said is not there for the next.
TEST_F(TrustTest, AConnectionCarriesNoIdentityFromRequestToRequest) {
  const tls::KeyPair proxy = Issue(proxy_ca_, kProxyName, now_);
  HttpClient client(server_->port(), {.tls = true, .client_certificate = &proxy});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Ask(client, "X-Remote-User: ada\r\n"), "ada system:authenticated");
    EXPECT_EQ(Ask(client, ""), kNobody);
    EXPECT_EQ(Ask(client, "X-Remote-User: bob\r\n"), "bob system:authenticated");
  }
}

TEST_F(TrustTest, ARotationHoldsOnConnectionsThatStand) {
  const tls::KeyPair proxy = Issue(proxy_ca_, kProxyName, now_);
  HttpClient client(server_->port(), {.tls = true, .client_certificate = &proxy});
  const std::string headers = "X-Remote-User: ada\r\n";
  EXPECT_EQ(Ask(client, headers), "ada system:authenticated");
  config_.request_header.ca_pem = strange_ca_.certificate_pem;
  ASSERT_TRUE(delegated_->Set(config_).ok());
  EXPECT_EQ(Ask(client, headers), kNobody);
}

TEST_F(TrustTest, TheNamesOfBothAuthoritiesAreSentAndFollow) {
  EXPECT_EQ(HttpClient(server_->port(), {.tls = true}).ClientCaNames(), 2);
  HttpClient standing(server_->port(), {.tls = true});
  const tls::KeyPair third = *tls::MakeCertificateAuthority("third", now_);
  const std::string three =
      client_ca_.certificate_pem + proxy_ca_.certificate_pem + third.certificate_pem;
  ASSERT_TRUE(server_->SetClientAuthorities(three).ok());
  EXPECT_EQ(HttpClient(server_->port(), {.tls = true}).ClientCaNames(), 3);
  EXPECT_EQ(Ask(standing, ""), kNobody);
  // A new serving certificate keeps them, and the other way round.
  const tls::KeyPair serving = *tls::IssueServingCertificate(client_ca_, {"second"}, now_);
  ASSERT_TRUE(server_->SetCertificate({serving.certificate_pem, serving.key_pem}).ok());
  EXPECT_EQ(HttpClient(server_->port(), {.tls = true}).ClientCaNames(), 3);
  ASSERT_TRUE(server_->SetClientAuthorities(client_ca_.certificate_pem).ok());
  HttpClient last(server_->port(), {.tls = true});
  EXPECT_EQ(last.ClientCaNames(), 1);
  EXPECT_EQ(last.PeerCommonName(), "second");
  const Status refused = server_->SetClientAuthorities("no certificate");
  EXPECT_EQ(refused.reason(), Reason::kInternalError);
  EXPECT_EQ(HttpClient(server_->port(), {.tls = true}).ClientCaNames(), 1);
}

}  // namespace
}  // namespace asyncops::http
