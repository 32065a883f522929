#include "base/duration.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct ParseCase {
  std::string_view text;
  Duration duration;
  const char* why;
};

constexpr ParseCase kParseCases[] = {
    {"0", seconds(0), "zero needs no unit"},
    {"-0", seconds(0), "nor with a sign"},
    {"30s", seconds(30), "one term"},
    {"1h30m", minutes(90), "two terms"},
    {"3h2m1s", hours(3) + minutes(2) + seconds(1), "three terms"},
    {"30m1h", minutes(90), "in any order"},
    {"1m1m", minutes(2), "terms of one unit add up"},
    {"1.5h", minutes(90), "a fraction"},
    {"0.3h", minutes(18), "a fraction that no double holds"},
    {".5s", milliseconds(500), "no digit before the point"},
    {"5.s", seconds(5), "no digit after the point"},
    {"300ms", milliseconds(300), "milliseconds, not minutes"},
    {"7us", microseconds(7), "microseconds"},
    {"7\xC2\xB5s", microseconds(7), "the micro sign"},
    {"7\xCE\xBCs", microseconds(7), "the Greek letter"},
    {"1500ns", microseconds(1), "cut to the microsecond"},
    {"-2s", seconds(-2), "negative"},
    {"+2s", seconds(2), "a plus sign"},
    {"-1.5s", milliseconds(-1500), "a negative fraction"},
    {"2562047h47m16.854775s", microseconds(9223372036854775), "the longest of Go, to our unit"},
    {"9223372036854775807ns", microseconds(9223372036854775), "the longest of Go"},
    {"-9223372036854775808ns", microseconds(-9223372036854775), "the most negative of Go"},
    {"0.100000000000000000000h", minutes(6), "digits past a double's precision"},
};

TEST(ParseDurationTest, ReadsWhatGoReads) {
  for (const ParseCase& c : kParseCases) {
    const std::optional<Duration> duration = ParseDuration(c.text);
    ASSERT_TRUE(duration.has_value()) << c.text << ": " << c.why;
    EXPECT_EQ(*duration, c.duration) << c.text << ": " << c.why;
  }
}

struct BadCase {
  std::string_view text;
  const char* why;
};

constexpr BadCase kBadCases[] = {
    {"", "empty"},
    {"3", "no unit"},
    {"-", "a sign alone"},
    {"s", "a unit alone"},
    {".", "a point alone"},
    {"-.", "a sign and a point"},
    {".s", "no digit at all"},
    {"+.s", "no digit at all, with a sign"},
    {"1d", "Go has no days"},
    {"1H", "units are lower case"},
    {"1 s", "a blank"},
    {" 1s", "a blank before"},
    {"1s ", "a blank after"},
    {"1s-1s", "a sign inside"},
    {"1sm", "two units"},
    {"1e3s", "no exponent"},
    {"1,5s", "no comma"},
    {"9223372036854775808ns", "one too many"},
    {"-9223372036854775809ns", "one too few"},
    {"2562048h", "over 292 years"},
    {"2562047h2562047h", "the sum is too large"},
    {"9223372036854775808ns9223372036854775808ns", "the sum wraps around to 0"},
    {"99999999999999999999s", "more digits than fit"},
};

TEST(ParseDurationTest, RefusesWhatGoRefuses) {
  for (const BadCase& c : kBadCases) EXPECT_FALSE(ParseDuration(c.text)) << c.text << ": " << c.why;
}

struct FormatCase {
  Duration duration;
  std::string_view text;
};

constexpr FormatCase kFormatCases[] = {
    {seconds(0), "0s"},
    {microseconds(7), "7\xC2\xB5s"},
    {microseconds(1100), "1.1ms"},
    {milliseconds(300), "300ms"},
    {seconds(10), "10s"},
    {milliseconds(1500), "1.5s"},
    {microseconds(1000001), "1.000001s"},
    {minutes(1), "1m0s"},
    {minutes(90), "1h30m0s"},
    {hours(100) + milliseconds(1), "100h0m0.001s"},
    {seconds(-10), "-10s"},
    {milliseconds(-300), "-300ms"},
    {Duration::min(), "-2562047788h0m54.775808s"},
};

TEST(FormatDurationTest, WritesWhatGoWrites) {
  for (const FormatCase& c : kFormatCases) EXPECT_EQ(FormatDuration(c.duration), c.text);
}

TEST(FormatDurationTest, ParsesBack) {
  for (const FormatCase& c : kFormatCases) {
    if (c.duration == Duration::min()) continue;  // Go's durations end at 292 years
    EXPECT_EQ(ParseDuration(c.text), c.duration) << c.text;
  }
}

constexpr hours kDay(24);
constexpr hours kYear(24 * 365);

struct HumanCase {
  Duration duration;
  std::string_view text;
  const char* why;
};

constexpr HumanCase kHumanCases[] = {
    {seconds(-2), "<invalid>", "two seconds in the future"},
    {microseconds(-1999999), "0s", "less than two is skew between clocks"},
    {seconds(-1), "0s", "skew"},
    {microseconds(-1), "0s", "cut toward zero"},
    {seconds(0), "0s", "now"},
    {milliseconds(999), "0s", "cut, not rounded"},
    {seconds(119), "119s", "seconds up to two minutes"},
    {minutes(2), "2m", "a whole minute has no seconds"},
    {seconds(192), "3m12s", "both below ten minutes"},
    {minutes(10) - seconds(1), "9m59s", "the last with seconds"},
    {minutes(10), "10m", "minutes alone"},
    {minutes(10) + seconds(59), "10m", "seconds are cut"},
    {hours(3) - seconds(1), "179m", "minutes up to three hours"},
    {hours(3), "3h", "a whole hour has no minutes"},
    {minutes(330), "5h30m", "both below eight hours"},
    {hours(8) - seconds(1), "7h59m", "the last with minutes"},
    {hours(8), "8h", "hours alone"},
    {hours(48) - seconds(1), "47h", "hours up to two days"},
    {hours(48), "2d", "a whole day has no hours"},
    {hours(52), "2d4h", "both below eight days"},
    {8 * kDay - seconds(1), "7d23h", "the last with hours"},
    {8 * kDay, "8d", "days alone"},
    {2 * kYear - seconds(1), "729d", "days up to two years"},
    {2 * kYear, "2y", "a whole year has no days"},
    {2 * kYear + kDay, "2y1d", "both below eight years"},
    {8 * kYear - seconds(1), "7y364d", "the last with days"},
    {8 * kYear, "8y", "years alone"},
    {100 * kYear + 100 * kDay, "100y", "days are cut"},
};

TEST(HumanDurationTest, WritesWhatKubectlShows) {
  for (const HumanCase& c : kHumanCases) EXPECT_EQ(HumanDuration(c.duration), c.text) << c.why;
}

}  // namespace
}  // namespace asyncops
