// Tokens: asked for once, used until they end, asked for again when they are refused.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "base/encoding.h"
#include "reconciler/external_client.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/unit/reconciler/fake_secrets.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

using Outcome = kube::Exchange::Outcome;
using std::chrono::seconds;

TokenGrant Grant() {
  TokenGrant grant;
  grant.owner = "uid/1";
  grant.url = *ParseUri("https://login.acme.example/token");
  grant.client_id = "app 1";
  grant.client_secret = "s3cret:%";
  grant.scopes = {"volumes.read", "volumes.write"};
  return grant;
}

kube::Exchange Token(const std::string& token, int expires_in = 3600) {
  return Answered(200, R"({"access_token":")" + token + R"(","token_type":"bearer","expires_in":)" +
                           std::to_string(expires_in) + "}");
}

class TokenCacheTest : public ::testing::Test {
 protected:
  TokenAnswer Get(const TokenGrant& grant) {
    return cache_.Get(
        grant, [this](const kube::OutboundRequest& request) { return transport_.Send(request); });
  }
  std::size_t Asked() const { return transport_.requests().size(); }

  FakeClock clock_;
  FakeTransport transport_;
  TokenCache cache_{clock_};
};

TEST_F(TokenCacheTest, AsksAsRfc6749Says) {
  transport_.Script(Token("t1"));
  EXPECT_EQ(Get(Grant()).token, "t1");
  const kube::OutboundRequest request = transport_.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.uri.ToString(), "https://login.acme.example/token");
  EXPECT_EQ(request.body, "grant_type=client_credentials&scope=volumes.read+volumes.write");
  EXPECT_EQ(HeaderOf(request, "Content-Type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(HeaderOf(request, "Authorization"), "Basic " + Base64Encode("app+1:s3cret%3A%25"));
}

TEST_F(TokenCacheTest, AsksWithTheSecretInTheBodyWhereToldSo) {
  TokenGrant grant = Grant();
  grant.in_body = true;
  grant.scopes.clear();
  transport_.Script(Token("t1"));
  EXPECT_EQ(Get(grant).token, "t1");
  const kube::OutboundRequest request = transport_.requests().at(0);
  EXPECT_EQ(request.body,
            "grant_type=client_credentials&client_id=app+1&client_secret=s3cret%3A%25");
  EXPECT_EQ(HeaderOf(request, "Authorization"), "");
}

TEST_F(TokenCacheTest, IsRenewedAMinuteBeforeItEnds) {
  transport_.Script(Token("t1", 3600));
  transport_.Script(Token("t2", 3600));
  EXPECT_EQ(Get(Grant()).token, "t1");
  clock_.Advance(seconds(3539));
  EXPECT_EQ(Get(Grant()).token, "t1");
  EXPECT_EQ(Asked(), 1U);
  clock_.Advance(seconds(1));
  EXPECT_EQ(Get(Grant()).token, "t2");
  EXPECT_EQ(Asked(), 2U);
}

TEST_F(TokenCacheTest, AShortLifeHasAShortMargin) {
  transport_.Script(Token("t1", 10));
  transport_.Script(Token("t2", 10));
  EXPECT_EQ(Get(Grant()).token, "t1");
  clock_.Advance(seconds(8));
  EXPECT_EQ(Get(Grant()).token, "t1");
  clock_.Advance(seconds(1));
  EXPECT_EQ(Get(Grant()).token, "t2");
}

TEST_F(TokenCacheTest, AJumpOfTheWallClockEndsNoToken) {
  transport_.Script(Token("t1"));
  EXPECT_EQ(Get(Grant()).token, "t1");
  clock_.SetNow(clock_.Now() + std::chrono::hours(10));
  EXPECT_EQ(Get(Grant()).token, "t1");
}

TEST_F(TokenCacheTest, AFailureToRenewIsNoneWhileTheTokenHolds) {
  transport_.Script(Token("t1", 3600));
  transport_.Script(NotSent("connection refused"));
  EXPECT_EQ(Get(Grant()).token, "t1");
  clock_.Advance(seconds(3550));
  EXPECT_EQ(Get(Grant()).token, "t1");
  EXPECT_EQ(Asked(), 2U);
  EXPECT_EQ(Get(Grant()).token, "t1") << "and it is not asked for at each call";
  EXPECT_EQ(Asked(), 2U);
  transport_.Script(NotSent("connection refused"));
  clock_.Advance(seconds(51));
  EXPECT_EQ(Get(Grant()).code, "TokenRequestFailed") << "it has ended";
}

TEST_F(TokenCacheTest, AnotherSecretOwnerOrScopeIsAnotherToken) {
  transport_.Handle([](const kube::OutboundRequest&) { return Token("t"); });
  Get(Grant());
  std::vector<TokenGrant> others(4, Grant());
  others[0].client_secret = "rotated";
  others[1].owner = "uid/2";
  others[2].scopes = {"volumes.read volumes.write"};
  others[3].in_body = true;
  std::size_t asked = 1;
  for (const TokenGrant& other : others) {
    Get(other);
    EXPECT_EQ(Asked(), ++asked);
  }
  Get(Grant());
  EXPECT_EQ(Asked(), asked);
}

TEST_F(TokenCacheTest, WhatIsNoTokenIsAFailureThatNamesNoSecret) {
  struct Case {
    const char* reason;
    kube::Exchange answer;
    const char* says;
    const char* code;
  };
  const std::vector<Case> cases = {
      {"refused", Answered(401, R"({"error":"invalid_client","error_description":"s3cret:%"})"),
       "refused: invalid_client (HTTP 401)", "TokenRequestFailed"},
      {"an error code that is none", Answered(400, R"({"error":"s3cret:% is wrong"})"),
       "refused: HTTP 400", "TokenRequestFailed"},
      {"a page", Answered(502, "<html>s3cret:%</html>"), "refused: HTTP 502", "TokenRequestFailed"},
      {"200 and no JSON", Answered(200, "s3cret:%"), "answered no JSON object",
       "TokenRequestFailed"},
      {"200 and an error", Answered(200, R"({"error":"invalid_scope"})"),
       "answered no access_token", "TokenRequestFailed"},
      {"a token with a line break", Answered(200, R"({"access_token":"a\r\nX: 1"})"),
       "answered no access_token that can be sent", "TokenRequestFailed"},
      {"another type", Answered(200, R"({"access_token":"a","token_type":"mac"})"),
       "a token_type other than Bearer", "TokenRequestFailed"},
      {"no answer", NotSent("connection refused"), "did not answer: connection refused",
       "TokenRequestFailed"},
      {"half an answer", Ambiguous("connection reset"), "did not answer: connection reset",
       "TokenRequestFailed"},
  };
  for (const Case& item : cases) {
    transport_.Script(item.answer);
    const TokenAnswer answer = Get(Grant());
    EXPECT_EQ(answer.token, "") << item.reason;
    EXPECT_EQ(answer.code, item.code) << item.reason;
    EXPECT_NE(answer.error.find(item.says), std::string::npos) << item.reason << answer.error;
    EXPECT_EQ(answer.error.find("s3cret"), std::string::npos) << item.reason;
    clock_.Advance(seconds(6));
  }
}

TEST_F(TokenCacheTest, AFailureIsKeptForSecondsAndItsWaitTold) {
  transport_.Script(Answered(429, "", {{"Retry-After", "7"}}));
  EXPECT_EQ(Get(Grant()).retry_after, seconds(7));
  EXPECT_EQ(Get(Grant()).retry_after, seconds(7));
  EXPECT_EQ(Asked(), 1U);
  transport_.Script(Answered(401, R"({"error":"invalid_client"})"));
  clock_.Advance(seconds(5));
  EXPECT_EQ(Get(Grant()).retry_after, std::chrono::minutes(5)) << "a person must mend it";
  transport_.Script(Token("t1"));
  clock_.Advance(seconds(5));
  EXPECT_EQ(Get(Grant()).token, "t1");
}

TEST_F(TokenCacheTest, OneOfManyThreadsAsks) {
  std::atomic<int> asked = 0;
  std::atomic<int> waiting = 0;
  const TokenCache::Sender slow = [&asked, &waiting](const kube::OutboundRequest&) {
    ++asked;
    // The others come while it is under way.
    while (waiting < 7) std::this_thread::yield();
    return Token("t1");
  };
  std::vector<std::thread> threads;
  std::atomic<int> got = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, &slow, &waiting, &got] {
      ++waiting;
      if (cache_.Get(Grant(), slow).token == "t1") ++got;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(got, 8);
}

TEST_F(TokenCacheTest, ADroppedTokenIsAskedForAgainOnce) {
  transport_.Script(Token("t1"));
  transport_.Script(Token("t2"));
  EXPECT_EQ(Get(Grant()).token, "t1");
  cache_.Drop(Grant(), "t1");
  EXPECT_EQ(Get(Grant()).token, "t2");
  cache_.Drop(Grant(), "t1");
  EXPECT_EQ(Get(Grant()).token, "t2") << "somebody renewed it meanwhile";
  EXPECT_EQ(Asked(), 2U);
}

// The client with a system that takes tokens.
class OAuth2ClientTest : public ::testing::Test {
 protected:
  OAuth2ClientTest() {
    secrets_.secrets[{"team-a", "app"}] = {{"id", "app-id"}, {"secret", "cl1ent-secret"}};
    system_.metadata.uid = "u1";
    system_.spec.allowed_origins = {"https://ops.acme.example"};
    system_.spec.auth.emplace();
    system_.spec.auth->oauth2_client_credentials =
        OAuth2ClientCredentials{.token_url = "https://login.acme.example/token",
                                .client_id_secret_ref = SecretKeyRef{"app", "id"},
                                .client_secret_ref = SecretKeyRef{"app", "secret"},
                                .scopes = {},
                                .client_authentication = "Post"};
  }

  ExternalAnswer Send(const std::string& url = "https://api.acme.example/v1/volumes",
                      const std::string& method = "POST") {
    return client_.Send(system_, {method, url, {}, "{}"});
  }
  // Of each request: host and Authorization.
  std::vector<std::string> Seen() const {
    std::vector<std::string> seen;
    for (const kube::OutboundRequest& request : transport_.requests())
      seen.push_back(request.uri.host + " " + HeaderOf(request, "Authorization"));
    return seen;
  }

  FakeClock clock_;
  FakeTransport transport_;
  FakeSecrets secrets_;
  ExternalSystem system_ = AcmeSystem("");
  ExternalClient client_{transport_, secrets_, clock_};
};

TEST_F(OAuth2ClientTest, TheTokenGoesWithEachCallAndIsAskedForOnce) {
  transport_.Script(Token("t1-token"));
  transport_.Script(Answered(202));
  transport_.Script(Answered(200));
  EXPECT_EQ(Send().status, 202);
  EXPECT_EQ(Send().status, 200);
  EXPECT_EQ(Seen(),
            (std::vector<std::string>{"login.acme.example ", "api.acme.example Bearer t1-token",
                                      "api.acme.example Bearer t1-token"}));
}

TEST_F(OAuth2ClientTest, AnotherOriginNeedsNoToken) {
  transport_.Script(Answered(200));
  EXPECT_EQ(Send("https://ops.acme.example/operations/1", "GET").status, 200);
  EXPECT_EQ(Seen(), (std::vector<std::string>{"ops.acme.example "}));
}

TEST_F(OAuth2ClientTest, ARefusedTokenIsRenewedAndTheCallMadeOnceMore) {
  transport_.Script(Token("t1-token"));
  transport_.Script(Answered(401));
  transport_.Script(Token("t2-token"));
  transport_.Script(Answered(202));
  EXPECT_EQ(Send().status, 202);
  EXPECT_EQ(Seen(),
            (std::vector<std::string>{"login.acme.example ", "api.acme.example Bearer t1-token",
                                      "login.acme.example ", "api.acme.example Bearer t2-token"}));
}

TEST_F(OAuth2ClientTest, ASecondRefusalIsTheAnswer) {
  transport_.Script(Token("t1-token"));
  transport_.Script(Answered(401));
  transport_.Script(Token("t2-token"));
  transport_.Script(Answered(401, R"({"bad":"t2-token"})"));
  const ExternalAnswer answer = Send();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(EncodeJson(answer.body), R"({"bad":"[redacted]"})");
  EXPECT_EQ(Seen().size(), 4U);
}

TEST_F(OAuth2ClientTest, OtherAnswersAreNotRepeated) {
  for (const kube::Exchange& exchange :
       {Answered(403), Answered(500), Ambiguous("connection reset")}) {
    transport_.Script(Token("t1-token"));
    transport_.Script(exchange);
    const std::size_t before = Seen().size();
    Send();
    EXPECT_LE(Seen().size(), before + 2);
    transport_.Script(Answered(200));
    Send();
  }
}

TEST_F(OAuth2ClientTest, WithoutATokenNothingIsSent) {
  transport_.Script(Answered(400, R"({"error":"invalid_scope"})"));
  const ExternalAnswer answer = Send();
  EXPECT_EQ(answer.outcome, Outcome::kNotSent);
  EXPECT_EQ(answer.code, "TokenRequestFailed");
  EXPECT_EQ(answer.error,
            "the token endpoint at https://login.acme.example:443 refused: invalid_scope (HTTP "
            "400)");
  EXPECT_EQ(answer.retry_after, std::chrono::minutes(5));
  EXPECT_EQ(Seen(), (std::vector<std::string>{"login.acme.example "}));
}

TEST_F(OAuth2ClientTest, AnAddressThatIsNotAllowedIsSaidAsSuch) {
  kube::Exchange refused = NotSent("login.acme.example: 10.0.0.1 is a private address");
  refused.code = "AddressRefused";
  transport_.Script(refused);
  EXPECT_EQ(Send().code, "AddressRefused");
}

TEST_F(OAuth2ClientTest, ASecretThatIsRotatedLeadsToANewToken) {
  transport_.Script(Token("t1-token"));
  transport_.Script(Answered(200));
  Send();
  secrets_.secrets[{"team-a", "app"}]["secret"] = "another-secret";
  transport_.Script(Token("t2-token"));
  transport_.Script(Answered(200, R"({"a":"t1-token","b":"cl1ent-secret","c":"another-secret"})"));
  EXPECT_EQ(EncodeJson(Send().body), R"({"a":"[redacted]","b":"[redacted]","c":"[redacted]"})")
      << "old values are known for some time yet";
  EXPECT_EQ(Seen().back(), "api.acme.example Bearer t2-token");
}

TEST_F(OAuth2ClientTest, TheClientCertificateIsNotForTheTokenServer) {
  secrets_.secrets[{"team-a", "mtls"}] = {{"tls.crt", "CERT"}, {"tls.key", "KEYKEY"}};
  system_.spec.tls.emplace();
  system_.spec.tls->ca_bundle = Base64Encode("CA");
  system_.spec.tls->client_certificate_secret_ref = LocalObjectRef{"mtls"};
  transport_.Script(Token("t1-token"));
  transport_.Script(Answered(200));
  Send();
  EXPECT_EQ(transport_.requests().at(0).tls->ca_pem, "CA");
  EXPECT_EQ(transport_.requests().at(0).tls->client_key_pem, "");
  EXPECT_EQ(transport_.requests().at(1).tls->client_key_pem, "KEYKEY");
}

}  // namespace
}  // namespace asyncops::reconciler
