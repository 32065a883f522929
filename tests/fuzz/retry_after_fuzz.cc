// When to ask again: a header's value on the first line, a body's below.
#include <chrono>

#include "base/json.h"
#include "base/rfc3339.h"
#include "reconciler/retry_after.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

// Not a round one, so that what is cut off shows.
const Time kNow{std::chrono::milliseconds(1795867200123)};

void HoldWait(std::optional<Duration> wait) {
  if (!wait) return;
  Hold(*wait >= Duration::zero(), "a wait is never negative");
  Hold(*wait <= Duration(reconciler::kMaxRetryAfter), "a wait has an end");
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  const std::string value(split.first);
  for (const char* name : {"retry-after", "retry-after-ms", "x-ms-retry-after-ms"})
    HoldWait(reconciler::ParseRetryAfter({{name, value}}, kNow));
  HoldWait(reconciler::ReadRetryAfter(Json(value), kNow));
  const Result<Json> json = ParseJson(split.rest);
  if (json.ok()) HoldWait(reconciler::ReadRetryAfter(*json, kNow));
  if (const std::optional<Time> date = ParseHttpDate(value)) {
    const std::optional<Time> again = ParseHttpDate(FormatHttpDate(*date));
    Hold(again == date, "a date is the same when it is written and read again");
  }
}

}  // namespace asyncops::fuzz
