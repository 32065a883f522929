// Calls as they leave with credentials, and answers as they come back without.
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "reconciler/external_client.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/unit/reconciler/fake_secrets.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

using Outcome = kube::Exchange::Outcome;

class ExternalClientTest : public ::testing::Test {
 protected:
  ExternalClientTest() {
    secrets_.secrets[{"team-a", "acme"}] = {{"token", "t0ken-value\n"}, {"user", "alice"},
                                            {"password", "pa:ss word"}, {"broken", "a\nb"},
                                            {"tls.crt", "CERT"},        {"tls.key", "KEYKEY"}};
    system_.spec.allowed_origins = {"https://ops.acme.example"};
  }

  ExternalAnswer Send(const std::string& url, const std::string& method = "GET") {
    return client_.Send(system_, {method, url, {{"Accept", "application/json", {}}}, ""});
  }
  void UseBearer() {
    system_.spec.auth.emplace();
    system_.spec.auth->bearer_token_secret_ref = SecretKeyRef{"acme", "token"};
  }

  static constexpr const char* kUrl = "https://api.acme.example/v1/volumes";
  FakeClock clock_;
  FakeTransport transport_;
  FakeSecrets secrets_;
  ExternalSystem system_ = AcmeSystem("");
  ExternalClient client_{transport_, secrets_, clock_};
};

TEST_F(ExternalClientTest, ABearerTokenGoesToTheEndpointsOrigin) {
  UseBearer();
  transport_.Script(Answered(200, R"({"a": 1})",
                             {{"X-Thing", "1"}, {"x-thing", "2"}, {"Set-Cookie", "session=1"}}));
  const ExternalAnswer answer = Send(kUrl);
  EXPECT_EQ(HeaderOf(transport_.requests().at(0), "Authorization"), "Bearer t0ken-value");
  EXPECT_EQ(EncodeJson(answer.ToResponse()),
            R"({"body":{"a":1},"headers":{"content-type":"application/json","x-thing":"1"},)"
            R"("status":200})");
  EXPECT_EQ(answer.at, clock_.Now());
}

TEST_F(ExternalClientTest, BasicAndHeaderCredentialsAreSent) {
  system_.spec.auth.emplace();
  system_.spec.auth->basic =
      BasicAuth{SecretKeyRef{"acme", "user"}, SecretKeyRef{"acme", "password"}};
  system_.spec.auth->headers = {{"X-Api-Key", SecretKeyRef{"acme", "token"}}};
  transport_.Script(Answered(200));
  Send(kUrl);
  const kube::OutboundRequest request = transport_.requests().at(0);
  EXPECT_EQ(HeaderOf(request, "Authorization"), "Basic " + Base64Encode("alice:pa:ss word"));
  EXPECT_EQ(HeaderOf(request, "X-Api-Key"), "t0ken-value");
  EXPECT_EQ(secrets_.reads, 1) << "one Secret is read once";
}

TEST_F(ExternalClientTest, AnAllowedOriginGetsNoCredentials) {
  UseBearer();
  system_.spec.tls.emplace();
  system_.spec.tls->ca_bundle = Base64Encode("CA");
  system_.spec.tls->client_certificate_secret_ref = LocalObjectRef{"acme"};
  transport_.Script(Answered(200));
  const ExternalAnswer answer =
      client_.Send(system_, {"GET",
                             "https://ops.acme.example/operations/1",
                             {{"X-Key", "", SecretKeyRef{"acme", "token"}}},
                             ""});
  EXPECT_EQ(answer.status, 200);
  const kube::OutboundRequest request = transport_.requests().at(0);
  EXPECT_TRUE(request.headers.empty());
  EXPECT_EQ(request.tls->ca_pem, "CA");
  EXPECT_EQ(request.tls->client_key_pem, "");
}

TEST_F(ExternalClientTest, AnyOtherOriginIsNotCalled) {
  UseBearer();
  for (const char* url :
       {"https://evil.example/v1", "http://api.acme.example/v1", "https://api.acme.example:8443/v1",
        "https://ops.acme.example:1/", "https://api.acme.example.evil.example/",
        "ftp://api.acme.example/", ""}) {
    const ExternalAnswer answer = Send(url);
    EXPECT_EQ(answer.outcome, Outcome::kNotSent) << url;
    EXPECT_EQ(answer.code, "OriginRefused") << url;
  }
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(ExternalClientTest, AClientCertificateGoesWithTheEndpoint) {
  system_.spec.tls.emplace();
  system_.spec.tls->client_certificate_secret_ref = LocalObjectRef{"acme"};
  transport_.Script(Answered(200));
  Send(kUrl);
  EXPECT_EQ(transport_.requests().at(0).tls->client_certificate_pem, "CERT");
  EXPECT_EQ(transport_.requests().at(0).tls->client_key_pem, "KEYKEY");
}

TEST_F(ExternalClientTest, AMissingSecretIsNotSentAndNamed) {
  struct Case {
    SecretKeyRef ref;
    const char* code;
    const char* says;
  };
  const std::vector<Case> cases = {
      {{"other", "token"}, "CredentialsMissing", "secret \"team-a/other\" is not there"},
      {{"acme", "tokn"}, "CredentialsMissing", "secret \"team-a/acme\" has no key \"tokn\""},
      {{"acme", "broken"}, "InvalidSystem", "key \"broken\" of secret \"acme\" has line breaks"},
  };
  for (const Case& item : cases) {
    UseBearer();
    system_.spec.auth->bearer_token_secret_ref = item.ref;
    const ExternalAnswer answer = Send(kUrl);
    EXPECT_EQ(answer.outcome, Outcome::kNotSent);
    EXPECT_EQ(answer.code, item.code);
    EXPECT_EQ(answer.error.find(item.says), 0U) << answer.error;
  }
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(ExternalClientTest, SecretsAreRedactedInAllOfTheAnswer) {
  UseBearer();
  system_.spec.auth->headers = {{"X-Key", SecretKeyRef{"acme", "password"}}};
  transport_.Script(Answered(400,
                             R"({"echo": "Bearer t0ken-value", "list": ["pa%3Ass%20word"],)"
                             R"( "b64": ")" +
                                 Base64Encode("t0ken-value") + R"("})",
                             {{"X-Echo", "t0ken-value"}}));
  transport_.Script(Answered(500, "t0ken-value is wrong"));
  transport_.Script(Ambiguous("broke at t0ken-value"));
  EXPECT_EQ(EncodeJson(Send(kUrl).ToResponse()),
            R"({"body":{"b64":"[redacted]","echo":"Bearer [redacted]","list":["[redacted]"]},)"
            R"("headers":{"content-type":"application/json","x-echo":"[redacted]"},"status":400})");
  EXPECT_EQ(EncodeJson(Send(kUrl).body), R"("[redacted] is wrong")");
  EXPECT_EQ(Send(kUrl).error, "broke at [redacted]");
}

TEST_F(ExternalClientTest, BodiesAreReadAsWhatTheyAre) {
  struct Case {
    std::string body;
    std::string type;
    std::string read;
    bool garbled;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {"", "application/json", "null", false, "empty"},
      {"[1]", "text/plain", "[1]", false, "JSON whatever its type"},
      {"OK", "text/plain", "\"OK\"", false, "text"},
      {"OK", "", "\"OK\"", false, "no type"},
      {"{\"a\":", "application/json; charset=utf-8", "\"{\\\"a\\\":\"", true, "half of JSON"},
      {"%%", "application/problem+json", "\"%%\"", true, "garbage"},
  };
  for (const Case& item : cases) {
    transport_.Script(Answered(200, item.body, {{"Content-Type", item.type}}));
    const ExternalAnswer answer = Send(kUrl);
    EXPECT_EQ(EncodeJson(answer.body), item.read) << item.reason;
    EXPECT_EQ(answer.garbled, item.garbled) << item.reason;
  }
}

TEST_F(ExternalClientTest, RedirectsOfAGetAreFollowedWithinTheOrigin) {
  UseBearer();
  transport_.Script(Answered(302, "", {{"Location", "/v1/other"}}));
  transport_.Script(Answered(308, "", {{"Location", "third"}}));
  transport_.Script(Answered(200, "\"here\""));
  EXPECT_EQ(EncodeJson(Send(kUrl).body), "\"here\"");
  ASSERT_EQ(transport_.requests().size(), 3U);
  EXPECT_EQ(PathOf(transport_.requests().at(2)), "/v1/third");
}

TEST_F(ExternalClientTest, RedirectsAreNotFollowedOtherwise) {
  struct Case {
    int status;
    const char* method;
    const char* location;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {302, "GET", "https://evil.example/", "another origin"},
      {302, "GET", "http://api.acme.example/v1", "without TLS"},
      {302, "GET", "https://ops.acme.example/", "an allowed origin is another one"},
      {307, "POST", "/v1/other", "a POST is never sent again"},
      {303, "GET", "/v1/volumes/1", "303 is a monitor's answer"},
      {302, "GET", "", "nowhere"},
  };
  for (const Case& item : cases) {
    const std::size_t before = transport_.requests().size();
    transport_.Script(Answered(item.status, "", {{"Location", item.location}}));
    EXPECT_EQ(Send(kUrl, item.method).status, item.status) << item.reason;
    EXPECT_EQ(transport_.requests().size(), before + 1) << item.reason;
  }
}

TEST_F(ExternalClientTest, ARedirectInACircleEndsAfterFive) {
  transport_.Handle([](const kube::OutboundRequest&) {
    return Answered(302, "", {{"Location", "/v1/volumes"}});
  });
  EXPECT_EQ(Send(kUrl).status, 302);
  EXPECT_EQ(transport_.requests().size(), 6U);
}

TEST_F(ExternalClientTest, TheTimeoutOfTheSystemIsKept) {
  transport_.Script(Answered(200));
  Send(kUrl);
  EXPECT_EQ(transport_.requests().at(0).timeout, std::chrono::seconds(30));
  system_.spec.limits.emplace();
  system_.spec.limits->request_timeout = std::chrono::seconds(4);
  transport_.Script(Answered(200));
  Send(kUrl);
  EXPECT_EQ(transport_.requests().at(1).timeout, std::chrono::seconds(4));
}

TEST_F(ExternalClientTest, AnUnsentCallKeepsItsReason) {
  transport_.Script(NotSent("connection refused"));
  const ExternalAnswer answer = Send(kUrl);
  EXPECT_EQ(answer.outcome, Outcome::kNotSent);
  EXPECT_EQ(answer.error, "connection refused");
}

}  // namespace
}  // namespace asyncops::reconciler
