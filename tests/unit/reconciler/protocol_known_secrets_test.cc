// What a system was sent once is taken out of what it says later.
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "reconciler/external_client.h"
#include "reconciler/known_secrets.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/unit/reconciler/fake_secrets.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;

TEST(KnownSecretsTest, ARotatedValueIsKnownForItsTime) {
  FakeClock clock;
  KnownSecrets known(clock);
  known.Use("a", {"old-value"});
  clock.Advance(hours(40));
  EXPECT_EQ(known.Use("a", {"new-value"})->RedactText("old-value new-value"),
            "[redacted] [redacted]");
  clock.Advance(hours(9));
  EXPECT_EQ(known.Use("a", {"new-value"})->RedactText("old-value new-value"),
            "old-value [redacted]")
      << "nobody used it for two days";
}

TEST(KnownSecretsTest, AValueInUseDoesNotAge) {
  FakeClock clock;
  KnownSecrets known(clock);
  for (int i = 0; i < 5; ++i) {
    known.Use("a", {"the-value"});
    clock.Advance(hours(40));
  }
  EXPECT_EQ(known.Use("a", {})->RedactText("the-value"), "[redacted]");
}

TEST(KnownSecretsTest, SystemsDoNotShare) {
  FakeClock clock;
  KnownSecrets known(clock);
  known.Use("a", {"value-of-a"});
  EXPECT_EQ(known.Use("b", {})->RedactText("value-of-a"), "value-of-a");
}

TEST(KnownSecretsTest, TheSameValuesNeedNoNewRedactor) {
  FakeClock clock;
  KnownSecrets known(clock);
  const auto first = known.Use("a", {"one-value", "two-value"});
  EXPECT_EQ(known.Use("a", {"two-value"}), first);
  EXPECT_NE(known.Use("a", {"three-value"}), first);
}

TEST(KnownSecretsTest, ManyRotationsForgetTheOldest) {
  FakeClock clock;
  KnownSecrets known(clock);
  for (std::size_t i = 0; i < KnownSecrets::kMaxValues + 1; ++i) {
    known.Use("a", {"value-" + std::to_string(1000 + i)});
    clock.Advance(std::chrono::seconds(1));
  }
  const auto redactor = known.Use("a", {});
  EXPECT_EQ(redactor->RedactText("value-1000 value-1001"), "value-1000 [redacted]");
}

TEST(KnownSecretsTest, ValuesThatAreAllInUseAreAllKept) {
  FakeClock clock;
  KnownSecrets known(clock);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < KnownSecrets::kMaxValues + 10; ++i)
    values.push_back("value-" + std::to_string(1000 + i));
  EXPECT_EQ(known.Use("a", values)->RedactText("value-1000 value-1265"), "[redacted] [redacted]");
}

class KnownSecretsClientTest : public ::testing::Test {
 protected:
  KnownSecretsClientTest() {
    secrets_.secrets[{"team-a", "acme"}] = {{"token", "t0ken-value"}};
    system_.metadata.uid = "u1";
    system_.spec.auth.emplace();
    system_.spec.auth->bearer_token_secret_ref = SecretKeyRef{"acme", "token"};
  }
  ExternalAnswer Send(std::vector<std::string> known_values = {}) {
    RenderedRequest request{"GET", "https://api.acme.example/v1/volumes", {}, ""};
    request.known_values = std::move(known_values);
    return client_.Send(system_, request);
  }

  FakeClock clock_;
  FakeTransport transport_;
  FakeSecrets secrets_;
  ExternalSystem system_ = AcmeSystem("");
  ExternalClient client_{transport_, secrets_, clock_};
};

TEST_F(KnownSecretsClientTest, ARotatedSecretIsUsedAtTheNextCallAndTheOldOneStaysHidden) {
  transport_.Script(Answered(200));
  Send();
  secrets_.secrets[{"team-a", "acme"}]["token"] = "rotated-value";
  transport_.Script(Answered(401, R"({"said":"t0ken-value is over, rotated-value is not known"})"));
  EXPECT_EQ(EncodeJson(Send().body), R"({"said":"[redacted] is over, [redacted] is not known"})");
  EXPECT_EQ(HeaderOf(transport_.requests().at(1), "Authorization"), "Bearer rotated-value");
}

TEST_F(KnownSecretsClientTest, ASecretThatVanishesSendsNothingUntilItIsBack) {
  const SecretData data = secrets_.secrets.begin()->second;
  secrets_.secrets.clear();
  EXPECT_EQ(Send().code, "CredentialsMissing");
  EXPECT_TRUE(transport_.requests().empty());
  secrets_.secrets[{"team-a", "acme"}] = data;
  transport_.Script(Answered(200));
  EXPECT_EQ(Send().status, 200);
}

TEST_F(KnownSecretsClientTest, ValuesOfOneCallAreHiddenInItsAnswerAlone) {
  transport_.Script(Answered(200, R"({"callback":"https://us.example/cb/token-of-one?x=1"})"));
  transport_.Script(Answered(200, R"({"callback":"token-of-one"})"));
  EXPECT_EQ(EncodeJson(Send({"token-of-one"}).body),
            R"({"callback":"https://us.example/cb/[redacted]?x=1"})");
  EXPECT_EQ(EncodeJson(Send().body), R"({"callback":"token-of-one"})");
}

TEST_F(KnownSecretsClientTest, ASignedCallSendsNoSecretAndShowsNone) {
  secrets_.secrets[{"team-a", "aws"}] = {
      {"id", "AKIDEXAMPLE"}, {"key", "wJalrXUtnFEMI-secret"}, {"session", "sess10n-token"}};
  system_.spec.auth.emplace();
  system_.spec.auth->aws_sig_v4 =
      AwsSigV4{.region = "eu-central-1",
               .service = "cloudcontrolapi",
               .access_key_id_secret_ref = SecretKeyRef{"aws", "id"},
               .secret_access_key_secret_ref = SecretKeyRef{"aws", "key"},
               .session_token_secret_ref = SecretKeyRef{"aws", "session"}};
  transport_.Script(Answered(302, "", {{"Location", "/v1/there"}}));
  transport_.Script(Answered(403, R"({"said":"AKIDEXAMPLE wJalrXUtnFEMI-secret sess10n-token"})"));
  EXPECT_EQ(EncodeJson(Send().body), R"({"said":"AKIDEXAMPLE [redacted] [redacted]"})");
  const std::vector<kube::OutboundRequest> requests = transport_.requests();
  ASSERT_EQ(requests.size(), 2U);
  const std::string first = HeaderOf(requests[0], "Authorization");
  const std::string second = HeaderOf(requests[1], "Authorization");
  EXPECT_EQ(first.find("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-central-1/"), 0U);
  EXPECT_EQ(second.find("AWS4-HMAC-SHA256"), 0U);
  EXPECT_NE(first, second) << "each hop is signed for itself";
  for (const kube::OutboundRequest& request : requests) {
    EXPECT_EQ(HeaderOf(request, "X-Amz-Security-Token"), "sess10n-token");
    int authorizations = 0;
    for (const auto& [name, value] : request.headers) {
      authorizations += name == "Authorization" ? 1 : 0;
      EXPECT_EQ(value.find("wJalr"), std::string::npos) << name;
    }
    EXPECT_EQ(authorizations, 1);
  }
}

}  // namespace
}  // namespace asyncops::reconciler
