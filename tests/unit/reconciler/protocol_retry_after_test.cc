#include <chrono>
#include <gtest/gtest.h>

#include "base/duration.h"
#include "base/rfc3339.h"
#include "reconciler/http_envelope.h"
#include "reconciler/retry_after.h"
#include "tests/unit/reconciler/protocol_cases.h"

namespace asyncops::reconciler {
namespace {

const Time kNow = *ParseTime("2026-11-29T12:00:00Z");

std::string Shown(std::optional<Duration> wait) { return wait ? FormatDuration(*wait) : "none"; }

struct HeaderCase {
  const char* name;
  const char* value;
  const char* shown;
  const char* reason;
};

TEST(RetryAfterTest, EveryFormOfTheHeaderIsReadAndNoneIsNegative) {
  const std::vector<HeaderCase> cases = {
      {"Retry-After", "120", "2m0s", "seconds"},
      {"Retry-After", " 7 ", "7s", "with blanks"},
      {"Retry-After", "0", "0s", "at once"},
      {"retry-after-ms", "1500", "1.5s", "milliseconds"},
      {"x-ms-retry-after-ms", "250", "250ms", "Azure's name of it"},
      {"Retry-After", "Sun, 29 Nov 2026 12:00:30 GMT", "30s", "IMF-fixdate"},
      {"Retry-After", "Sunday, 29-Nov-26 12:00:30 GMT", "30s", "RFC 850"},
      {"Retry-After", "Sun Nov 29 12:00:30 2026", "30s", "asctime"},
      {"Retry-After", "Sun, 29 Nov 2026 11:00:00 GMT", "0s", "a date that has passed"},
      {"Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT", "0s", "long ago"},
      {"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", "24h0m0s", "a date that never comes"},
      {"Retry-After", "99999999999999999999", "24h0m0s", "more than fits"},
      {"Retry-After", "-5", "none", "negative"},
      {"Retry-After", "1.5", "none", "no form of the header"},
      {"Retry-After", "soon", "none", "a word"},
      {"Retry-After", "", "none", "empty"},
  };
  for (const HeaderCase& item : cases) {
    EXPECT_EQ(Shown(ParseRetryAfter({{item.name, item.value}}, kNow)), item.shown) << item.reason;
  }
}

TEST(RetryAfterTest, MillisecondsWinOverSeconds) {
  EXPECT_EQ(Shown(ParseRetryAfter({{"Retry-After", "9"}, {"X-Ms-Retry-After-Ms", "200"}}, kNow)),
            "200ms");
  EXPECT_EQ(Shown(ParseRetryAfter({{"x-ms-retry-after-ms", "3"}, {"retry-after-ms", "2"}}, kNow)),
            "2ms");
  EXPECT_EQ(Shown(ParseRetryAfter({{"retry-after-ms", "x"}, {"retry-after", "9"}}, kNow)), "9s")
      << "what cannot be read is passed over";
}

struct BodyCase {
  Json value;
  const char* shown;
  const char* reason;
};

TEST(RetryAfterTest, ABodyTellsItInSecondsOrAsATime) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(kNow.time_since_epoch()).count();
  const std::vector<BodyCase> cases = {
      {Json(30), "30s", "seconds"},
      {Json(0.25), "250ms", "part of a second"},
      {Json("30"), "30s", "seconds as text"},
      {Json(now + 12), "12s", "a time in seconds since 1970"},
      {Json(static_cast<double>(now) + 0.5), "500ms", "with a fraction, as AWS has it"},
      {Json(std::to_string(now + 12)), "12s", "as text"},
      {Json(now - 12), "0s", "which has passed"},
      {Json("1m30s"), "1m30s", "a duration"},
      {Json("-1m"), "none", "a negative one"},
      {Json("2026-11-29T12:00:05Z"), "5s", "RFC 3339"},
      {Json("Sun, 29 Nov 2026 12:00:30 GMT"), "30s", "an HTTP-date"},
      {Json("9999-12-31T23:59:59Z"), "24h0m0s", "never"},
      {Json("0001-01-01T00:00:00Z"), "0s", "ever so long ago"},
      {Json(-1), "none", "negative"},
      {Json(1e300), "none", "no time at all"},
      {Json(100000000), "24h0m0s", "three years of seconds"},
      {Json(true), "none", "another type"},
      {Json(), "none", "nothing"},
      {Json("soon"), "none", "a word"},
  };
  for (const BodyCase& item : cases) {
    EXPECT_EQ(Shown(ReadRetryAfter(item.value, kNow)), item.shown) << item.reason;
  }
}

TEST(RetryAfterTest, TheBodysWordWinsAndTheHeaderStandsIn) {
  AsyncOperation operation = VolumeOperation();
  operation.spec.poll.emplace().retry_after = "/wait";
  const auto protocol = Compiled(AcmeSystem("AcceptedLocation"), operation);
  ExternalAnswer answer = Answer(202, R"({"wait": "3s"})");
  answer.retry_after = std::chrono::seconds(9);
  EXPECT_EQ(Shown(protocol->JudgePoll(answer, Running(), Json()).poll_after), "3s");
  answer.body = Json::Of({{"wait", "soon"}});
  EXPECT_EQ(Shown(protocol->JudgePoll(answer, Running(), Json()).poll_after), "9s");
}

TEST(HttpEnvelopeTest, OpensWhatIsAMessageAndCallsTheRestGarbled) {
  const auto open = [](std::string_view body, const char* type = "application/http") {
    return OpenEnvelope(Answer(200, body, {{"content-type", type}, {"x-outer", "1"}}));
  };
  EXPECT_FALSE(open("{}", "application/json").has_value());
  const auto opened = open("HTTP/1.1 201 Created\r\nX-Inner: a b \r\n\r\n[1]");
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->status, 200);
  EXPECT_FALSE(opened->garbled);
  EXPECT_EQ(
      EncodeJson(opened->headers),
      R"({"asyncresult":"201","content-type":"application/http","x-inner":"a b","x-outer":"1"})");
  EXPECT_EQ(EncodeJson(opened->body), "[1]");
  for (const char* bad :
       {"", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 2", "HTTP/1.1 20", "HTTP/1.1 20 Odd\r\n\r\n",
        "HTTP/1.1 2011\r\n\r\n", "HTTP/1.1 099 \r\n\r\n", "FTP/1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "HTTP/1.1 200 OK\r\na b: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"}) {
    EXPECT_TRUE(open(bad)->garbled) << bad;
  }
  EXPECT_TRUE(open("{\"is\": \"JSON\"}")->garbled) << "no message";
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_TRUE(open(many + "\r\n")->garbled) << "more headers than any answer has";
}

}  // namespace
}  // namespace asyncops::reconciler
