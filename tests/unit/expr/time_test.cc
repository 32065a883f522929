// cel-spec's conformance area timestamps, to the microsecond and in UTC.
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

TEST(TimeTest, TimestampsAndDurationsConvert) {
  static constexpr ExpressionCase kCases[] = {
      {"int(timestamp('2009-02-13T23:31:30Z'))", "value: 1234567890", "to seconds"},
      {"timestamp(1234567890)", "value: \"2009-02-13T23:31:30Z\"", "from seconds, shown as text"},
      {"string(timestamp('2009-02-14T10:31:30+11:00'))", "value: \"2009-02-13T23:31:30Z\"", "UTC"},
      {"string(timestamp('2009-02-13T23:31:30.250Z'))", "value: \"2009-02-13T23:31:30.25Z\"",
       "no more digits than needed"},
      {"string(timestamp('9999-12-31T23:59:59.999999Z'))", "value: \"9999-12-31T23:59:59.999999Z\"",
       "the last one"},
      {"string(duration('1000000s'))", "value: \"1000000s\"", "a duration in seconds"},
      {"duration('1h30m')", "value: \"5400s\"", "Go's notation"},
      {"duration('-1500ms')", "value: \"-1.5s\"", "a fraction"},
      {"duration('0')", "value: \"0s\"", "nothing"},
      {"timestamp(timestamp(1000000000)) == timestamp(1000000000)", "value: true", "identity"},
      {"duration(duration('100s')) == duration('100s')", "value: true", "identity"},
      {"timestamp(true)", "refused: col 11: no matching overload of timestamp for (bool)",
       "no bool"},
      {"[timestamp(0)]", "error: col 1: a timestamp cannot stand in a list or map", "no JSON type"},
      {"[string(timestamp(0))]", "value: [\"1970-01-01T00:00:00Z\"]", "as text it can"},
  };
  ExpectCases(kCases);
}

TEST(TimeTest, ArithmeticAndOrder) {
  static constexpr ExpressionCase kCases[] = {
      {"timestamp('2009-02-13T23:00:00Z') + duration('240s')", "value: \"2009-02-13T23:04:00Z\"",
       "later"},
      {"duration('120s') + timestamp('2009-02-13T23:01:00Z')", "value: \"2009-02-13T23:03:00Z\"",
       "in either order"},
      {"timestamp('2009-02-13T23:10:00Z') - duration('600s')", "value: \"2009-02-13T23:00:00Z\"",
       "earlier"},
      {"timestamp('2009-02-13T23:31:00Z') - timestamp('2009-02-13T23:29:00Z')", "value: \"120s\"",
       "between two"},
      {"duration('600s') + duration('50s')", "value: \"650s\"", "sum"},
      {"duration('900s') - duration('42s')", "value: \"858s\"", "difference"},
      {"duration('60s') == duration('1m')", "value: true", "equality"},
      {"timestamp(0) != timestamp(1)", "value: true", "inequality"},
      {"timestamp(0) == 0", "value: false", "no number"},
      {"duration('0s') == null", "value: false", "not null"},
      {"timestamp('2009-02-13T23:00:00Z') < timestamp('2009-03-13T23:00:00Z')", "value: true",
       "order of times"},
      {"duration('300s') <= duration('200s')", "value: false", "order of durations"},
      {"timestamp(0) < 5", "error: col 14: no matching overload of < for (timestamp, int)",
       "mixed"},
      {"duration('1s') - timestamp(0)", "error: col 16: no matching overload of -", "no meaning"},
      {"timestamp(0) + timestamp(0)", "error: col 14: no matching overload of +", "no meaning"},
      {"duration('1s') * 2", "error: col 16: no matching overload of *", "not in CEL"},
  };
  ExpectCases(kCases);
}

TEST(TimeTest, RangeIsThatOfProtobuf) {
  static constexpr ExpressionCase kCases[] = {
      {"timestamp(-62135596800)", "value: \"0001-01-01T00:00:00Z\"", "the first second"},
      {"timestamp(-62135596801)", "refused: col 11: timestamp out of range", "before it"},
      {"timestamp(253402300800)", "refused: col 11: timestamp out of range", "year 10000"},
      {"timestamp(x)", "missing: col 11", "unbound"},
      {"timestamp(9223372036854775807)", "refused: col 11: timestamp out of range", "far outside"},
      {"timestamp(0 - 62135596801)", "error: col 1: timestamp out of range", "a computed one"},
      {"timestamp('10000-01-01T00:00:00Z')", "refused: col 11: timestamp:", "five digits"},
      {"timestamp('0001-01-01T00:00:00Z') + duration('-1s')",
       "error: col 35: timestamp out of range", "below by arithmetic"},
      {"timestamp('9999-12-31T23:59:59Z') + duration('1s')",
       "error: col 35: timestamp out of range", "above by arithmetic"},
      {"duration('320000000000s')", "refused: col 10: duration", "too long"},
      {"duration('-320000000000s')", "refused: col 10: duration", "too long, negative"},
      {"(timestamp(253402300799) - timestamp(-62135596800)) + duration('9000000000s')",
       "error: col 53: duration out of range", "too long by arithmetic"},
  };
  ExpectCases(kCases);
}

TEST(TimeTest, GettersReadPartsInUtc) {
  const Json time("2009-02-13T23:31:20.123456Z");
  Bindings bindings;
  bindings.Set("x", &time);
  static constexpr ExpressionCase kCases[] = {
      {"timestamp(x).getFullYear()", "value: 2009", "year"},
      {"timestamp(x).getMonth()", "value: 1", "month, from 0"},
      {"timestamp(x).getDate()", "value: 13", "day of the month, from 1"},
      {"timestamp(x).getDayOfMonth()", "value: 12", "day of the month, from 0"},
      {"timestamp(x).getDayOfWeek()", "value: 5", "day of the week, Sunday is 0"},
      {"timestamp(x).getDayOfYear()", "value: 43", "day of the year, from 0"},
      {"timestamp(x).getHours()", "value: 23", "hour"},
      {"timestamp(x).getMinutes()", "value: 31", "minute"},
      {"timestamp(x).getSeconds()", "value: 20", "second"},
      {"timestamp(x).getMilliseconds()", "value: 123", "millisecond"},
      {"timestamp(-1).getSeconds()", "value: 59", "before 1970"},
      {"timestamp(-1).getHours()", "value: 23", "before 1970"},
      {"duration('10000s').getHours()", "value: 2", "whole hours of a duration"},
      {"duration('3730s').getMinutes()", "value: 62", "whole minutes"},
      {"duration('3730s').getSeconds()", "value: 3730", "whole seconds"},
      {"duration('123.321s').getMilliseconds()", "value: 321", "the part within the second"},
      {"duration('1h').getFullYear()", "error: col 16: no matching overload of getFullYear",
       "a duration has no year"},
      {"x.getHours()", "error: col 3: no matching overload of getHours for (string)", "text"},
  };
  ExpectCases(kCases, bindings);
}

}  // namespace
}  // namespace asyncops::expr
