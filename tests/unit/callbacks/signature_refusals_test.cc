// Messages that are not taken: each differs from a good one in one thing.
#include <functional>
#include <gtest/gtest.h>

#include "callbacks/signature.h"

#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::callbacks {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;
const std::string kKey = "0123456789abcdef01234567";

Time At(std::int64_t seconds) { return Time(std::chrono::seconds(seconds)); }
std::string Hex(const std::string& content) { return HexEncode(HmacSha256(kKey, content)); }
std::string Base64(const std::string& content) { return Base64Encode(HmacSha256(kKey, content)); }

// A good message of each scheme, for kNow, with what checks it.
struct Good {
  Verification verification;
  Message message;
};

Good GoodOf(Scheme scheme) {
  const std::string time = std::to_string(kNow);
  const std::string body = R"({"id":"op-1"})";
  Good good{{.scheme = scheme, .secrets = {kKey}}, {.headers = {}, .body = body}};
  auto& headers = good.message.headers;
  switch (scheme) {
    case Scheme::kStandardWebhooks:
      good.verification.secrets = {"whsec_" + Base64Encode(kKey)};
      headers = {{"webhook-id", "m1"},
                 {"webhook-timestamp", time},
                 {"webhook-signature", "v1," + Base64("m1." + time + "." + body)}};
      break;
    case Scheme::kGitHub:
      headers = {{"X-Hub-Signature-256", "sha256=" + Hex(body)}, {"X-GitHub-Delivery", "d1"}};
      break;
    case Scheme::kStripe:
      headers = {{"Stripe-Signature", "t=" + time + ",v1=" + Hex(time + "." + body)}};
      break;
    case Scheme::kSlack:
      headers = {{"X-Slack-Signature", "v0=" + Hex("v0:" + time + ":" + body)},
                 {"X-Slack-Request-Timestamp", time}};
      break;
    case Scheme::kHmac:
      good.verification.form = {.content = "${timestamp}.${id}.${body}",
                                .timestamp_header = "X-Time",
                                .id_header = "X-Id"};
      headers = {{"X-Signature", Hex(time + ".m1." + body)}, {"X-Time", time}, {"X-Id", "m1"}};
      break;
    case Scheme::kToken: headers = {{"Authorization", "Bearer " + kKey}}; break;
  }
  return good;
}

constexpr Scheme kAll[] = {Scheme::kStandardWebhooks,
                           Scheme::kGitHub,
                           Scheme::kStripe,
                           Scheme::kSlack,
                           Scheme::kHmac,
                           Scheme::kToken};
constexpr Scheme kTimed[] = {Scheme::kStandardWebhooks, Scheme::kStripe, Scheme::kSlack,
                             Scheme::kHmac};

Refusal RefusalOf(const Good& good, std::int64_t now = kNow) {
  return Verify(good.verification, good.message, At(now)).refusal;
}

TEST(SignatureRefusalTest, GoodMessageOfEachSchemeIsTaken) {
  for (const Scheme scheme : kAll)
    EXPECT_EQ(RefusalOf(GoodOf(scheme)), Refusal::kNone) << SchemeName(scheme);
}

TEST(SignatureRefusalTest, ChangedBodyIsRefused) {
  for (const Scheme scheme : kAll) {
    if (scheme == Scheme::kToken) continue;
    Good good = GoodOf(scheme);
    good.message.body.back() = ' ';
    EXPECT_EQ(RefusalOf(good), Refusal::kMismatch) << SchemeName(scheme);
    good = GoodOf(scheme);
    good.message.body += "\n";
    EXPECT_EQ(RefusalOf(good), Refusal::kMismatch) << SchemeName(scheme) << ": raw bytes count";
  }
}

TEST(SignatureRefusalTest, AnotherSecretIsRefused) {
  for (const Scheme scheme : kAll) {
    Good good = GoodOf(scheme);
    good.verification.secrets = {"whsec_" + Base64Encode("another secret of 24 bytes")};
    EXPECT_EQ(RefusalOf(good), Refusal::kMismatch) << SchemeName(scheme);
  }
}

TEST(SignatureRefusalTest, NoSecretOrAnEmptyOneAcceptsNothing) {
  const std::string time = std::to_string(kNow);
  for (const Scheme scheme : kAll) {
    Good good = GoodOf(scheme);
    good.verification.secrets = {};
    EXPECT_EQ(RefusalOf(good), Refusal::kMismatch) << SchemeName(scheme);
  }
  Good github = GoodOf(Scheme::kGitHub);
  github.verification.secrets = {""};
  github.message.headers[0].second = "sha256=" + HexEncode(HmacSha256("", github.message.body));
  EXPECT_EQ(RefusalOf(github), Refusal::kMismatch);
  Good webhooks = GoodOf(Scheme::kStandardWebhooks);
  webhooks.verification.secrets = {"whsec_"};
  webhooks.message.headers[2].second =
      "v1," + Base64Encode(HmacSha256("", "m1." + time + "." + webhooks.message.body));
  EXPECT_EQ(RefusalOf(webhooks), Refusal::kMismatch);
  Good token = GoodOf(Scheme::kToken);
  token.verification.secrets = {""};
  token.message.headers[0].second = "Bearer  ";
  EXPECT_NE(RefusalOf(token), Refusal::kNone);
}

TEST(SignatureRefusalTest, NoHeaderAtAllIsRefused) {
  for (const Scheme scheme : kAll) {
    Good good = GoodOf(scheme);
    good.message.headers.clear();
    EXPECT_EQ(RefusalOf(good), Refusal::kAbsent) << SchemeName(scheme);
  }
}

TEST(SignatureRefusalTest, OldAndEarlyMessagesAreRefusedAtTheBorderOfTheTolerance) {
  for (const Scheme scheme : kTimed) {
    const Good good = GoodOf(scheme);
    EXPECT_EQ(RefusalOf(good, kNow + 300), Refusal::kNone) << SchemeName(scheme);
    EXPECT_EQ(RefusalOf(good, kNow + 301), Refusal::kStale) << SchemeName(scheme);
    EXPECT_EQ(RefusalOf(good, kNow - 300), Refusal::kNone) << SchemeName(scheme);
    EXPECT_EQ(RefusalOf(good, kNow - 301), Refusal::kStale) << SchemeName(scheme);
    Good strict = good;
    strict.verification.tolerance = std::chrono::seconds(10);
    EXPECT_EQ(RefusalOf(strict, kNow + 11), Refusal::kStale) << SchemeName(scheme);
  }
}

struct Change {
  const char* reason;
  Scheme scheme;
  std::size_t header;
  std::function<void(std::string*)> change;
  Refusal refusal;
};

TEST(SignatureRefusalTest, ChangedHeadersAreRefused) {
  const auto set = [](const char* text) { return [text](std::string* value) { *value = text; }; };
  const std::vector<Change> changes = {
      {"the name is signed", Scheme::kStandardWebhooks, 0, set("m2"), Refusal::kMismatch},
      {"a dot would move the border between name and time", Scheme::kStandardWebhooks, 0,
       set("m1.1700000000"), Refusal::kAbsent},
      {"a message has a name", Scheme::kStandardWebhooks, 0, set(""), Refusal::kAbsent},
      {"the time is signed", Scheme::kStandardWebhooks, 1, set("1700000001"), Refusal::kMismatch},
      {"a time is digits", Scheme::kStandardWebhooks, 1, set("1700000000.0"), Refusal::kAbsent},
      {"a time is not negative", Scheme::kSlack, 1, set("-1700000000"), Refusal::kAbsent},
      {"a time has an end", Scheme::kSlack, 1, set("17000000001700000000"), Refusal::kAbsent},
      {"a time in hex", Scheme::kSlack, 1, set("0x6553f100"), Refusal::kAbsent},
      {"the time is signed", Scheme::kHmac, 1, set("1700000001"), Refusal::kMismatch},
      {"the name is signed", Scheme::kHmac, 2, set("m2"), Refusal::kMismatch},
      {"a signed name is there", Scheme::kHmac, 2, set(""), Refusal::kAbsent},
      {"an unknown version", Scheme::kStandardWebhooks, 2,
       [](std::string* value) { value->replace(0, 2, "v9"); }, Refusal::kAbsent},
      {"a version without a comma", Scheme::kStandardWebhooks, 2,
       [](std::string* value) { value->erase(2, 1); }, Refusal::kAbsent},
      {"a signature cut short", Scheme::kGitHub, 0, [](std::string* value) { value->resize(39); },
       Refusal::kMismatch},
      {"half a byte", Scheme::kGitHub, 0, [](std::string* value) { value->pop_back(); },
       Refusal::kAbsent},
      {"no hex", Scheme::kGitHub, 0, [](std::string* value) { value->back() = 'g'; },
       Refusal::kAbsent},
      {"a sign is no hex", Scheme::kGitHub, 0, [](std::string* value) { (*value)[7] = '-'; },
       Refusal::kAbsent},
      {"the old algorithm", Scheme::kGitHub, 0,
       [](std::string* value) { value->replace(0, 7, "sha1="); }, Refusal::kAbsent},
      {"no prefix", Scheme::kSlack, 0, [](std::string* value) { value->erase(0, 3); },
       Refusal::kAbsent},
      {"no time", Scheme::kStripe, 0,
       [](std::string* value) { value->erase(0, value->find(',') + 1); }, Refusal::kAbsent},
      {"a second time wins nothing", Scheme::kStripe, 0,
       [](std::string* value) { *value += ",t=1700000001"; }, Refusal::kMismatch},
      {"another version alone", Scheme::kStripe, 0,
       [](std::string* value) { value->replace(value->find("v1="), 2, "v0"); }, Refusal::kAbsent},
      {"another token", Scheme::kToken, 0, [](std::string* value) { value->back() = '8'; },
       Refusal::kMismatch},
      {"a token that goes on", Scheme::kToken, 0, [](std::string* value) { *value += "8"; },
       Refusal::kMismatch},
      {"a token of another kind", Scheme::kToken, 0, set("Basic abc"), Refusal::kAbsent},
      {"no token", Scheme::kToken, 0, set("Bearer "), Refusal::kAbsent},
  };
  for (const Change& item : changes) {
    Good good = GoodOf(item.scheme);
    item.change(&good.message.headers.at(item.header).second);
    EXPECT_EQ(RefusalOf(good), item.refusal) << SchemeName(item.scheme) << ": " << item.reason;
  }
}

TEST(SignatureRefusalTest, MoreSignaturesThanAnybodyNeedsAreNotTried) {
  Good good = GoodOf(Scheme::kStandardWebhooks);
  std::string& list = good.message.headers[2].second;
  std::string many;
  for (int i = 0; i < 8; ++i) many += "v1,AAAA ";
  list = many + list;
  EXPECT_EQ(RefusalOf(good), Refusal::kMismatch);
}

TEST(SignatureRefusalTest, SignatureOfOneSchemeIsNoneOfAnother) {
  for (const Scheme signer : kAll) {
    for (const Scheme checker : kAll) {
      if (signer == checker) continue;
      Good good = GoodOf(checker);
      good.message = GoodOf(signer).message;
      EXPECT_NE(RefusalOf(good), Refusal::kNone) << SchemeName(signer) << SchemeName(checker);
    }
  }
}

}  // namespace
}  // namespace asyncops::callbacks
