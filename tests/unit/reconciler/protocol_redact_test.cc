#include <gtest/gtest.h>

#include "base/encoding.h"
#include "reconciler/redact.h"
#include "reconciler/retry_after.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RedactorTest, ASecretIsFoundInAllItsForms) {
  const std::string secret = "p\"ss/w\\rd+ 1?";
  const Redactor redactor({secret});
  std::string escaped;
  AppendJsonString(secret, &escaped);
  struct Case {
    std::string text;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {secret, "as it is"},
      {escaped.substr(1, escaped.size() - 2), "escaped as in JSON"},
      {Base64Encode(secret), "base64"},
      {Base64UrlEncode(secret), "base64 for URLs"},
      {PercentEncode(secret), "URL-encoded"},
      {"p%22ss%2fw%5crd%2b%201%3f", "URL-encoded with small digits"},
      {"p%22ss%2Fw%5Crd%2B+1%3F", "as a form"},
  };
  for (const Case& item : cases) {
    EXPECT_EQ(redactor.RedactText("<" + item.text + ">"), "<[redacted]>") << item.reason;
    EXPECT_EQ(redactor.RedactText(item.text + item.text), "[redacted][redacted]") << item.reason;
  }
  EXPECT_EQ(redactor.RedactText("nothing here"), "nothing here");
}

TEST(RedactorTest, JsonIsRedactedInStringsNamesAndNumbers) {
  const Redactor redactor({"s3cret", "12345678"});
  const Json json = *ParseJson(
      R"({"a": "x s3cret", "s3cret": [1, "s\u0033cret"], "n": 12345678, "m": 1234567, "b": true})");
  EXPECT_EQ(EncodeJson(redactor.RedactJson(json)),
            R"({"[redacted]":[1,"[redacted]"],"a":"x [redacted]","b":true,"m":1234567,)"
            R"("n":"[redacted]"})");
}

TEST(RedactorTest, ALongerSecretGoesBeforeOneThatItHolds) {
  const Redactor redactor({"abcd", "abcdefgh"});
  EXPECT_EQ(redactor.RedactText("abcdefgh abcd"), "[redacted] [redacted]");
}

TEST(RedactorTest, SecretsThatBeginAlikeAreToldApart) {
  const Redactor redactor({"abcd", "abcdef", "abcdefghij", "abce", "abcdz"});
  EXPECT_EQ(redactor.RedactText("abcdefghi"), "[redacted]ghi") << "the longest that is there";
  EXPECT_EQ(redactor.RedactText("abcdefghij"), "[redacted]");
  EXPECT_EQ(redactor.RedactText("abcdyabce abcf"), "[redacted]y[redacted] abcf");
  EXPECT_EQ(redactor.RedactText("xabcdzabc"), "x[redacted]abc");
  EXPECT_EQ(redactor.RedactText("\xff"
                                "abc"),
            "\xff"
            "abc");
}

TEST(RedactorTest, WhatOverlapsIsTakenOutAsOne) {
  const Redactor redactor({"abcd", "cdefg", "gh12", "aaaa"});
  EXPECT_EQ(redactor.RedactText("<abcdefgh12>"), "<[redacted]>");
  EXPECT_EQ(redactor.RedactText("<abcdcdefg>"), "<[redacted][redacted]>");
  EXPECT_EQ(redactor.RedactText("aaaaaa b"), "[redacted] b");
}

TEST(RedactorTest, AnAnswerThatIsAllSecretsIsReadOnce) {
  std::vector<std::string> secrets;
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    secrets.push_back("secret-" + std::to_string(100000 + i));
    text += secrets.back() + " ";
  }
  const std::string left = Redactor(secrets).RedactText(text);
  EXPECT_EQ(left.size(), secrets.size() * (kRedacted.size() + 1));
  EXPECT_EQ(left.find("secret-"), std::string::npos);
}

TEST(RedactorTest, AVeryShortSecretIsNotLookedFor) {
  EXPECT_EQ(Redactor({"abc", ""}).RedactText("abc def"), "abc def");
}

TEST(RetryAfterTest, EveryFormIsRead) {
  // Sun, 29 Nov 2026 16:47:53 GMT.
  const Time now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 29) +
                   std::chrono::hours(16) + std::chrono::minutes(47) + seconds(53);
  struct Case {
    std::vector<std::pair<std::string, std::string>> headers;
    std::optional<Duration> wait;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {{}, std::nullopt, "none"},
      {{{"Retry-After", "7"}}, seconds(7), "seconds"},
      {{{"retry-after", " 0 "}}, seconds(0), "at once"},
      {{{"Retry-After", "Sun, 29 Nov 2026 16:48:03 GMT"}}, seconds(10), "a date"},
      {{{"Retry-After", "Sunday, 29-Nov-26 16:48:03 GMT"}}, seconds(10), "RFC 850"},
      {{{"Retry-After", "Sun Nov 29 16:48:03 2026"}}, seconds(10), "asctime"},
      {{{"Retry-After", "Sun, 29 Nov 2020 16:48:03 GMT"}}, seconds(0), "a date that has passed"},
      {{{"Retry-After", "Sun, 29 Nov 2099 16:48:03 GMT"}}, kMaxRetryAfter, "too far away"},
      {{{"Retry-After", "99999999999999999999999"}}, kMaxRetryAfter, "no number fits"},
      {{{"Retry-After", "4000000000"}}, kMaxRetryAfter, "too long"},
      {{{"Retry-After", "-5"}}, std::nullopt, "negative"},
      {{{"Retry-After", "soon"}}, std::nullopt, "garbage"},
      {{{"Retry-After", "1.5"}}, std::nullopt, "no integer"},
      {{{"Retry-After", ""}}, std::nullopt, "empty"},
      {{{"Retry-After", "7"}, {"x-ms-retry-after-ms", "250"}}, milliseconds(250), "the finer one"},
      {{{"retry-after-ms", "x"}, {"Retry-After", "7"}}, seconds(7), "the one that can be read"},
  };
  for (const Case& item : cases)
    EXPECT_EQ(ParseRetryAfter(item.headers, now), item.wait) << item.reason;
}

}  // namespace
}  // namespace asyncops::reconciler
