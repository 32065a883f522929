// Messages that are good, after the examples that the schemes' own documents give.
#include "callbacks/signature.h"

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::callbacks {
namespace {

Time At(std::int64_t seconds) { return Time(std::chrono::seconds(seconds)); }

// The example of the Standard Webhooks specification.
constexpr std::string_view kWebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view kWebhookSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
constexpr std::int64_t kWebhookTime = 1614265330;

Message Webhook(const std::string& signature) {
  return {.headers = {{"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"},
                      {"Webhook-Timestamp", std::to_string(kWebhookTime)},
                      {"webhook-signature", signature}},
          .body = R"({"test": 2432232314})"};
}

Verification Secrets(Scheme scheme, std::vector<std::string> secrets) {
  return {.scheme = scheme, .secrets = std::move(secrets)};
}

TEST(SignatureTest, StandardWebhooksAcceptsTheExampleOfItsSpecification) {
  const Check check = Verify(Secrets(Scheme::kStandardWebhooks, {std::string(kWebhookSecret)}),
                             Webhook(std::string(kWebhookSignature)), At(kWebhookTime));
  EXPECT_EQ(check.refusal, Refusal::kNone);
  EXPECT_EQ(check.message_id, "msg_p5jXN8AQM9LWM0D4loKWxJek");
  EXPECT_TRUE(check.id_is_signed);
}

TEST(SignatureTest, StandardWebhooksAcceptsASecretWithoutItsPrefix) {
  const std::string bare(kWebhookSecret.substr(6));
  EXPECT_EQ(Verify(Secrets(Scheme::kStandardWebhooks, {bare}),
                   Webhook(std::string(kWebhookSignature)), At(kWebhookTime))
                .refusal,
            Refusal::kNone);
}

TEST(SignatureTest, StandardWebhooksAcceptsAnyOfSeveralSignaturesAndSecrets) {
  const Message message =
      Webhook("v1,AAAA v2,whatever " + std::string(kWebhookSignature) + " v1a,BBBB");
  const Verification rotated =
      Secrets(Scheme::kStandardWebhooks,
              {"whsec_" + Base64Encode("the secret before this one"), std::string(kWebhookSecret)});
  EXPECT_EQ(Verify(rotated, message, At(kWebhookTime)).refusal, Refusal::kNone);
}

TEST(SignatureTest, StandardWebhooksAcceptsAnEd25519SignatureOfAPublicKey) {
  const Verification keys =
      Secrets(Scheme::kStandardWebhooks,
              {"whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", std::string(kWebhookSecret)});
  const std::string good =
      "v1a,yoUrgEkc12aGqm0n4Sydmdz55xJfTz4AsAgieHFjmkR7LJtqVCZOQYzvvHjI5kAey+r4iaBGxTFRrl2iBQxtDQ="
      "=";
  const Check check = Verify(keys, Webhook(good), At(kWebhookTime));
  EXPECT_EQ(check.refusal, Refusal::kNone);
  EXPECT_TRUE(check.id_is_signed);
  std::string bad = good;
  bad[10] = bad[10] == 'A' ? 'B' : 'A';
  EXPECT_NE(Verify(keys, Webhook(bad), At(kWebhookTime)).refusal, Refusal::kNone);
  EXPECT_EQ(Verify(keys, Webhook(good), At(kWebhookTime + 301)).refusal, Refusal::kStale);
}

TEST(SignatureTest, GitHubAcceptsTheExampleOfItsDocumentation) {
  const Message message{
      .headers = {{"X-Hub-Signature-256",
                   "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
                  {"X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"}},
      .body = "Hello, World!"};
  const Check check =
      Verify(Secrets(Scheme::kGitHub, {"It's a Secret to Everybody"}), message, At(0));
  EXPECT_EQ(check.refusal, Refusal::kNone);
  EXPECT_EQ(check.message_id, "72d3162e-cc78-11e3-81ab-4c9367dc0958");
  EXPECT_FALSE(check.id_is_signed);
}

TEST(SignatureTest, SlackAcceptsTheExampleOfItsDocumentation) {
  const Message message{
      .headers = {{"X-Slack-Signature",
                   "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"},
                  {"X-Slack-Request-Timestamp", "1531420618"}},
      .body =
          "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id="
          "G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2F"
          "webhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F"
          "T1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015."
          "47445629121.803a0bc887a14d10d2c447fce8b6703c"};
  const Verification verification = Secrets(Scheme::kSlack, {"8f742231b10e8888abcd99yyyzzz85a5"});
  EXPECT_EQ(Verify(verification, message, At(1531420618)).refusal, Refusal::kNone);
  EXPECT_EQ(Verify(verification, message, At(1531420618 + 299)).refusal, Refusal::kNone);
  EXPECT_EQ(Verify(verification, message, At(1531420618 + 301)).refusal, Refusal::kStale);
  EXPECT_EQ(Verify(verification, message, At(1531420618 - 301)).refusal, Refusal::kStale);
}

TEST(SignatureTest, StripeAcceptsOneOfItsSignaturesAndTakesTheSecretAsItIs) {
  const std::string good = "v1=799c4ba7bb339f3c8601adfd112f0e477c930a268be1243d341abb8286501c2f";
  const std::string other = "v1=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39";
  const Message message{
      .headers = {{"Stripe-Signature", "t=1492774577," + other + "," + good + ",v0=aa"}},
      .body = R"({"id":"evt_1"})"};
  const Verification verification = Secrets(Scheme::kStripe, {"whsec_test_secret"});
  EXPECT_EQ(Verify(verification, message, At(1492774577)).refusal, Refusal::kNone);
  EXPECT_EQ(Verify(verification, message, At(1492774577 + 301)).refusal, Refusal::kStale);
}

TEST(SignatureTest, HmacSignsWhatTheDeclarationSays) {
  const Verification verification{.scheme = Scheme::kHmac,
                                  .form = {.header = "X-Acme-Signature",
                                           .prefix = "",
                                           .base64 = true,
                                           .content = "${id}|${timestamp}|${body}",
                                           .timestamp_header = "X-Acme-Time",
                                           .id_header = "X-Acme-Id"},
                                  .secrets = {"shared secret"}};
  const Message message{
      .headers = {{"X-Acme-Signature", "WhuOKrxZ+pgvt5v7tE2WdPfvw8fKGLsAyenuRj+x01I="},
                  {"x-acme-time", "1700000000"},
                  {"X-Acme-Id", "2026-m1"}},
      .body = R"({"a":1})"};
  const Check check = Verify(verification, message, At(1700000000));
  EXPECT_EQ(check.refusal, Refusal::kNone);
  EXPECT_EQ(check.message_id, "2026-m1");
  EXPECT_TRUE(check.id_is_signed);
  EXPECT_EQ(Verify(verification, message, At(1700000301)).refusal, Refusal::kStale);
}

TEST(SignatureTest, HmacIsByDefaultTheBodyInHexInXSignature) {
  const std::string body = "plain";
  const Message message{.headers = {{"x-signature", HexEncode(HmacSha256("k", "plain"))}},
                        .body = body};
  EXPECT_EQ(Verify(Secrets(Scheme::kHmac, {"k"}), message, At(0)).refusal, Refusal::kNone);
}

TEST(SignatureTest, ValueThatLooksLikeAPlaceholderIsNotFilledIn) {
  const Verification verification{.scheme = Scheme::kHmac,
                                  .form = {.content = "${id}.${body}", .id_header = "X-Id"},
                                  .secrets = {"k"}};
  const Message message{
      .headers = {{"X-Signature", HexEncode(HmacSha256("k", "${body}.x"))}, {"X-Id", "${body}"}},
      .body = "x"};
  EXPECT_EQ(Verify(verification, message, At(0)).refusal, Refusal::kNone);
}

TEST(SignatureTest, TokenIsOneOfTheSecretsAsABearer) {
  const Verification verification = Secrets(Scheme::kToken, {"old", "new"});
  for (const char* token : {"Bearer new", "bearer old"}) {
    EXPECT_EQ(
        Verify(verification, {.headers = {{"Authorization", token}}, .body = ""}, At(0)).refusal,
        Refusal::kNone)
        << token;
  }
}

TEST(SignatureTest, NamesOfSchemesAreThoseOfTheApi) {
  for (const char* name : {"StandardWebhooks", "GitHub", "Stripe", "Slack", "HMAC", "Token"})
    EXPECT_EQ(SchemeName(*ParseScheme(name)), name);
  EXPECT_FALSE(ParseScheme("standardwebhooks"));
}

}  // namespace
}  // namespace asyncops::callbacks
