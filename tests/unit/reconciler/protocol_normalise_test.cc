#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/limits.h"
#include "reconciler/classify.h"
#include "reconciler/normalise.h"

namespace asyncops::reconciler {
namespace {

struct TextCase {
  std::string text;
  std::string normalised;
  const char* reason;
};

TEST(NormaliseTest, WhatChangesFromTryToTryIsTakenOut) {
  const std::vector<TextCase> cases = {
      {"quota exceeded in eu-west-1", "quota exceeded in eu-west-1", "plain text stays"},
      {"request 7f1c2a34-9d1e-4c7a-8a51-0123456789ab failed", "request <id> failed", "a UUID"},
      {"Request ID: 5F6A7B8C", "Request ID: <id>", "a labelled identifier"},
      {"RequestId=abc-DEF_12; retry", "RequestId=<id>; retry", "up to the separator"},
      {"(request-id \"xyz9\")", "(request-id \"<id>\")", "in quotes"},
      {"trace_id: f00 and correlation id c1", "trace_id: <id> and correlation id <id>", "others"},
      {"the request id is missing", "the request id is missing", "a label without a value"},
      {"at 2026-11-29T16:47:53.123Z", "at <time>", "RFC 3339"},
      {"at 2026-11-29 16:47:53+02:00 it broke", "at <time> it broke", "with a blank and offset"},
      {"since 2026-11-29", "since <time>", "a date"},
      {"date: Sun, 29 Nov 2026 16:47:53 GMT.", "date: <time>.", "an HTTP-date"},
      {"16:47:53.1 lost", "<time> lost", "a time of day"},
      {"panic at 0x7ffe12ab34", "panic at <id>", "a pointer"},
      {"0xff is small", "0xff is small", "a small number"},
      {"span 4bf92f3577b34da6a3ce929d0e0e4736", "span <id>", "hexadecimal"},
      {"deadbeef cafe", "deadbeef cafe", "words that are hexadecimal"},
      {"token AbCdEf123456GhIjKl7890 used", "token <id> used", "a long mixed run"},
      {"Zugriffsberechtigungsfehler", "Zugriffsberechtigungsfehler", "a long word"},
      {"at 1796000000123", "at <number>", "an epoch"},
      {"limit 100000 of 200000", "limit 100000 of 200000", "counts"},
      {"a\r\n\tb  c\n", "a b c", "one line"},
      {"caf\xc3\xa9 \xff", "caf\xc3\xa9 \xef\xbf\xbd", "valid UTF-8"},
      {"vol-3f9a01c2 not found", "vol-3f9a01c2 not found", "a resource's name stays"},
      {"", "", "nothing"},
  };
  for (const TextCase& item : cases) {
    EXPECT_EQ(NormaliseMessage(item.text), item.normalised) << item.reason;
    EXPECT_EQ(NormaliseMessage(NormaliseMessage(item.text)), item.normalised)
        << "it is stable: " << item.reason;
  }
}

TEST(NormaliseTest, TheSameFailureIsTheSameText) {
  EXPECT_EQ(NormaliseMessage("throttled (Request ID: a1b2) at 2026-11-29T16:47:53Z"),
            NormaliseMessage("throttled (Request ID: ffee99) at 2026-11-30T01:02:03.5Z"));
}

TEST(NormaliseTest, LongTextsAreCutBetweenCharacters) {
  std::string text;
  while (text.size() < 3 * kMaxMessageBytes) text += "\xc3\xa9\xc3\xa9 ";
  const std::string normalised = NormaliseMessage(text);
  EXPECT_LE(normalised.size(), kMaxMessageBytes);
  EXPECT_GT(normalised.size(), kMaxMessageBytes - 10);
  EXPECT_TRUE(IsUtf8(normalised));
  EXPECT_TRUE(normalised.ends_with("..."));
}

TEST(ReasonCodeTest, ACodeBecomesTheReasonOfACondition) {
  struct Case {
    const char* code;
    const char* reason;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"DataQuotaExceeded", "DataQuotaExceeded", "as it is"},
      {"RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED", "as it is"},
      {"com.acme/no-space", "comacmenospace", "what a reason may not hold is left out"},
      {"404", "Code404", "a number"},
      {"", "Otherwise", "nothing"},
      {"--", "Otherwise", "nothing is left"},
      {"9lives", "lives", "starts with a letter"},
  };
  for (const Case& item : cases)
    EXPECT_EQ(ReasonCode(item.code, "Otherwise"), item.reason) << item.why;
  EXPECT_LE(ReasonCode(std::string(500, 'a'), "x").size(), 64U);
}

}  // namespace
}  // namespace asyncops::reconciler
