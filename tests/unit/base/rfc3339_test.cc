#include "base/rfc3339.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

Time Micros(std::int64_t count) { return Time(std::chrono::microseconds(count)); }

// 2026-11-29T16:47:53Z.
constexpr std::int64_t kSample = 1795970873000000;

TEST(Rfc3339Test, FormatsToTheSecondAndToTheMicrosecond) {
  EXPECT_EQ(FormatTime(Micros(kSample + 999999)), "2026-11-29T16:47:53Z");
  EXPECT_EQ(FormatMicroTime(Micros(kSample + 123)), "2026-11-29T16:47:53.000123Z");
  EXPECT_EQ(FormatMicroTime(Micros(kSample)), "2026-11-29T16:47:53.000000Z");
}

TEST(Rfc3339Test, TimesBeforeTheEpochRoundDown) {
  EXPECT_EQ(FormatTime(Micros(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(FormatMicroTime(Micros(-1)), "1969-12-31T23:59:59.999999Z");
}

struct TimeCase {
  std::string_view text;
  std::int64_t micros;
  const char* why;
};

constexpr TimeCase kTimeCases[] = {
    {"2026-11-29T16:47:53Z", kSample, "metav1.Time"},
    {"2026-11-29T16:47:53.000123Z", kSample + 123, "metav1.MicroTime"},
    {"2026-11-29T16:47:53.5Z", kSample + 500000, "a short fraction"},
    {"2026-11-29T16:47:53.123456789Z", kSample + 123456, "nanoseconds are cut"},
    {"2026-11-29T17:47:53+01:00", kSample, "east of UTC"},
    {"2026-11-29T11:17:53-05:30", kSample, "west of UTC, with minutes"},
    {"2026-11-29T16:47:53-00:00", kSample, "unknown local offset"},
    {"2026-11-29t16:47:53z", kSample, "RFC 3339 allows lower case"},
    {"1970-01-01T00:00:00Z", 0, "the epoch"},
    {"2024-02-29T00:00:00Z", 1709164800000000, "a leap day"},
    {"0001-01-01T00:00:00Z", -62135596800000000, "the first"},
    {"9999-12-31T23:59:59.999999Z", 253402300799999999, "the last"},
};

TEST(Rfc3339Test, ParsesFractionsAndOffsets) {
  for (const TimeCase& c : kTimeCases) {
    const std::optional<Time> time = ParseTime(c.text);
    ASSERT_TRUE(time.has_value()) << c.why;
    EXPECT_EQ(time->time_since_epoch().count(), c.micros) << c.why;
  }
}

struct BadText {
  std::string_view text;
  const char* why;
};

constexpr BadText kBadTimes[] = {
    {"", "empty"},
    {"2026-11-29", "no time of day"},
    {"2026-11-29 16:47:53Z", "a blank for the T"},
    {"2026-11-29T16:47:53", "no offset"},
    {"2026-11-29T16:47Z", "no seconds"},
    {"2026-11-29T16:47:53.Z", "a point without digits"},
    {"2026-11-29T16:47:53,5Z", "a comma"},
    {"2026-11-29T16:47:53+0100", "an offset without a colon"},
    {"2026-11-29T16:47:53+24:00", "no such offset"},
    {"2026-11-29T16:47:53+01:60", "no such minute of an offset"},
    {"2026-11-29T16:47:53Z ", "text after the end"},
    {"2025-02-29T00:00:00Z", "no leap year"},
    {"2026-13-01T00:00:00Z", "no such month"},
    {"2026-00-01T00:00:00Z", "months start at 1"},
    {"2026-11-31T00:00:00Z", "no such day"},
    {"2026-11-29T24:00:00Z", "no such hour"},
    {"2026-11-29T16:60:00Z", "no such minute"},
    {"2026-11-29T23:59:60Z", "a leap second, as in Go"},
    {"0000-01-01T00:00:00Z", "no year 0"},
    {"0001-01-01T00:00:00+00:01", "in UTC it is year 0"},
    {"9999-12-31T23:59:59-00:01", "in UTC it is year 10000"},
    {"+2026-11-29T16:47:53Z", "a signed year"},
    {"2026-1-29T16:47:53Z", "one digit"},
};

TEST(Rfc3339Test, RefusesWhatIsNoTime) {
  for (const BadText& c : kBadTimes) EXPECT_FALSE(ParseTime(c.text)) << c.text << ": " << c.why;
}

TEST(Rfc3339Test, FormattedTimesParseBack) {
  for (const std::int64_t micros : {kSample, kSample + 1, std::int64_t{-1}, std::int64_t{0}})
    EXPECT_EQ(ParseTime(FormatMicroTime(Micros(micros))), Micros(micros));
}

TEST(HttpDateTest, ParsesTheThreeForms) {
  const Time expected = Micros(784111777000000);
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), expected) << "IMF-fixdate";
  EXPECT_EQ(ParseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), expected) << "RFC 850";
  EXPECT_EQ(ParseHttpDate("Sun Nov  6 08:49:37 1994"), expected) << "asctime";
  EXPECT_EQ(ParseHttpDate("Sun Nov 29 16:47:53 2026"), Micros(kSample)) << "asctime, two digits";
}

TEST(HttpDateTest, TwoDigitYearsLieBetween1969And2068) {
  EXPECT_EQ(FormatTime(*ParseHttpDate("Thursday, 02-Jan-69 00:00:00 GMT")), "1969-01-02T00:00:00Z");
  EXPECT_EQ(FormatTime(*ParseHttpDate("Monday, 02-Jan-68 00:00:00 GMT")), "2068-01-02T00:00:00Z");
}

constexpr BadText kBadHttpDates[] = {
    {"", "empty"},
    {"120", "a number of seconds is the other form of Retry-After"},
    {"Sun, 06 Nov 1994 08:49:37", "no zone"},
    {"Sun, 06 Nov 1994 08:49:37 CET", "not GMT"},
    {"Sun, 06 nov 1994 08:49:37 GMT", "names are case-sensitive"},
    {"Sun, 6 Nov 1994 08:49:37 GMT", "one digit of a day"},
    {"Sun, 31 Nov 1994 08:49:37 GMT", "no such day"},
    {"Xyz, 06 Nov 1994 08:49:37 GMT", "no such day of the week"},
    {"1994-11-06T08:49:37Z", "RFC 3339"},
};

TEST(HttpDateTest, RefusesOtherForms) {
  for (const BadText& c : kBadHttpDates) EXPECT_FALSE(ParseHttpDate(c.text)) << c.why;
}

TEST(HttpDateTest, FormatsAsImfFixdate) {
  EXPECT_EQ(FormatHttpDate(Micros(kSample + 5)), "Sun, 29 Nov 2026 16:47:53 GMT");
  EXPECT_EQ(FormatHttpDate(Micros(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace asyncops
