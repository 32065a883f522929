#include "api/object_summary.h"

#include <chrono>
#include <gtest/gtest.h>

#include "base/rfc3339.h"

namespace asyncops {
namespace {

using Source = TableColumn::Source;

Json Parse(std::string_view text) {
  Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? std::move(*json) : Json();
}

TableColumn Column(Source source, std::vector<std::string> path, std::string type = "string") {
  return {.name = "C", .type = std::move(type), .source = source, .path = std::move(path)};
}

ResourceInfo With(std::vector<TableColumn> columns) {
  ResourceInfo resource;
  resource.columns = std::move(columns);
  return resource;
}

Time At(std::string_view text) { return *ParseTime(text); }

// The cells as they are shown at that time.
std::string Shown(const ResourceInfo& resource, const Json& object, std::string_view now) {
  std::string out;
  AppendCells(EncodeCells(resource, object), At(now), &out);
  return "[" + out + "]";
}

constexpr std::string_view kNow = "2026-01-01T00:10:00Z";

TEST(ObjectSummaryTest, CellsAreMadeOfWhatTheObjectHas) {
  const Json object = Parse(R"({"name":"a \"b\"","count":3,"half":0.5,"yes":true,"nothing":null,
      "map":{"x":1,"y":2},"list":[1,2,3],"ref":{"kind":"AsyncResource","name":"Data"},
      "born":"2026-01-01T00:00:00Z","old":"2025-01-01T00:00:00Z","next":"2026-01-01T00:10:08Z",
      "status":{"conditions":[{"type":"Other","status":"True"},
                              {"type":"Ready","status":"False","reason":"Why"}]}})");
  struct Row {
    const char* reason;
    TableColumn column;
    const char* cell;
  };
  const Row rows[] = {
      {"a string", Column(Source::kPath, {"name"}), R"(["a \"b\""])"},
      {"a string that is not there", Column(Source::kPath, {"none"}), R"([""])"},
      {"a path that ends early", Column(Source::kPath, {"name", "x"}), R"([""])"},
      {"null", Column(Source::kPath, {"nothing"}), R"([""])"},
      {"an integer", Column(Source::kPath, {"count"}, "integer"), "[3]"},
      {"an integer that is not there", Column(Source::kPath, {"none"}, "integer"), "[0]"},
      {"a number as text", Column(Source::kPath, {"half"}), R"(["0.5"])"},
      {"a boolean as text", Column(Source::kPath, {"yes"}), R"(["true"])"},
      {"an object as text", Column(Source::kPath, {"map"}), R"(["{\"x\":1,\"y\":2}"])"},
      {"members of an object", Column(Source::kCount, {"map"}, "integer"), "[2]"},
      {"members of an array", Column(Source::kCount, {"list"}, "integer"), "[3]"},
      {"members of nothing", Column(Source::kCount, {"none"}, "integer"), "[0]"},
      {"members of a string", Column(Source::kCount, {"name"}, "integer"), "[0]"},
      {"a reference", Column(Source::kReference, {"ref"}), R"(["asyncresource/Data"])"},
      {"no reference", Column(Source::kReference, {"none"}), R"([""])"},
      {"a condition's status", Column(Source::kConditionStatus, {"Ready"}), R"(["False"])"},
      {"a condition's reason", Column(Source::kConditionReason, {"Ready"}), R"(["Why"])"},
      {"a condition without one", Column(Source::kConditionReason, {"Other"}), R"([""])"},
      {"no such condition", Column(Source::kConditionStatus, {"None"}), R"([""])"},
      {"an age", Column(Source::kAge, {"born"}), R"(["10m"])"},
      {"an age of what has no time", Column(Source::kAge, {"none"}), R"(["<unknown>"])"},
      {"an age of what is no time", Column(Source::kAge, {"name"}), R"(["<unknown>"])"},
      {"a time to come", Column(Source::kUntil, {"next"}), R"(["8s"])"},
      {"a time that has passed", Column(Source::kUntil, {"born"}), R"([""])"},
      {"no time to come", Column(Source::kUntil, {"none"}), R"([""])"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Shown(With({row.column}), object, kNow), row.cell) << row.reason;
}

TEST(ObjectSummaryTest, AnAgeFallsBack) {
  TableColumn column = Column(Source::kAge, {"last"});
  column.fallback_path = {"event"};
  const Json object = Parse(R"({"last":null,"event":"2026-01-01T00:09:00.5Z"})");
  EXPECT_EQ(Shown(With({column}), object, kNow), R"(["59s"])");
}

TEST(ObjectSummaryTest, AgesAreThoseOfTheTimeOfReading) {
  const ResourceInfo resource = With({Column(Source::kPath, {"a"}), Column(Source::kAge, {"t"}),
                                      Column(Source::kUntil, {"t"}), Column(Source::kPath, {"a"})});
  const Json object = Parse(R"({"a":"x","t":"2026-01-01T00:10:00Z"})");
  EXPECT_EQ(Shown(resource, object, "2026-01-01T00:09:50Z"), R"(["x","<invalid>","10s","x"])");
  EXPECT_EQ(Shown(resource, object, "2026-01-01T00:10:30Z"), R"(["x","30s","","x"])");
  EXPECT_EQ(Shown(resource, object, "2026-01-03T00:10:00Z"), R"(["x","2d","","x"])");
}

TEST(ObjectSummaryTest, BytesOfTheObjectAreNoMarks) {
  const ResourceInfo resource = With({Column(Source::kPath, {"a"}), Column(Source::kAge, {"t"})});
  const Json object = Parse(R"({"a":"\u0001a7;\n","t":"2026-01-01T00:00:00Z"})");
  EXPECT_EQ(Shown(resource, object, kNow), R"(["\u0001a7;\n","10m"])");
}

TEST(ObjectSummaryTest, HoldsMetadataWithThePlaceOfTheRevisionAndCells) {
  const ResourceInfo resource = With({Column(Source::kPath, {"metadata", "name"})});
  const Json object = Parse(
      R"({"kind":"K","metadata":{"annotations":{"x":"\n"},"name":"n","uid":"u"},"spec":{"a":1}})");
  SummaryText summary = EncodeSummary(resource, object, EncodeObject(object));
  summary.text.insert(summary.revision_at, "42");
  const auto read = ReadSummary(summary.text, SummaryPrefix(resource));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->metadata,
            R"({"annotations":{"x":"\n"},"name":"n","resourceVersion":"42","uid":"u"})");
  EXPECT_EQ(read->cells, R"("n")");
}

TEST(ObjectSummaryTest, IsNotReadUnderOtherColumns) {
  const std::vector<TableColumn> columns = {Column(Source::kPath, {"a", "b"}),
                                            Column(Source::kPath, {"c"})};
  const Json object = Parse(R"({"metadata":{}})");
  const std::string text = EncodeSummary(With(columns), object, EncodeObject(object)).text;
  EXPECT_TRUE(ReadSummary(text, SummaryPrefix(With(columns))).has_value());
  struct Row {
    const char* reason;
    std::vector<TableColumn> columns;
  };
  TableColumn fallback = columns[1];
  fallback.fallback_path = {"d"};
  const Row rows[] = {
      {"one less", {columns[0]}},
      {"the other order", {columns[1], columns[0]}},
      {"another path", {Column(Source::kPath, {"a", "x"}), columns[1]}},
      {"a path that is cut otherwise", {Column(Source::kPath, {"ab"}), columns[1]}},
      {"another source", {columns[0], Column(Source::kCount, {"c"})}},
      {"another type", {columns[0], Column(Source::kPath, {"c"}, "integer")}},
      {"a fallback", {columns[0], fallback}},
  };
  for (const Row& row : rows)
    EXPECT_FALSE(ReadSummary(text, SummaryPrefix(With(row.columns))).has_value()) << row.reason;
}

TEST(ObjectSummaryTest, WhatIsNoSummaryIsNotRead) {
  const std::string prefix = SummaryPrefix(With({}));
  for (const std::string& text : {std::string(), prefix.substr(1), prefix, prefix + "{}"})
    EXPECT_FALSE(ReadSummary(text, prefix).has_value()) << text;
}

TEST(ObjectSummaryTest, DamagedTimesAreUnknown) {
  struct Row {
    const char* reason;
    std::string_view cells;
    const char* shown;
  };
  const Row rows[] = {
      {"no number",
       "\x01"
       "ax;,1",
       R"("<unknown>",1)"},
      {"no end",
       "\x01"
       "a12",
       R"("<unknown>"a12)"},
      {"nothing", "\x01;", R"("<unknown>")"},
      {"a number beyond 64 bits",
       "\x01"
       "a99999999999999999999;",
       R"("<unknown>")"},
  };
  for (const Row& row : rows) {
    std::string out;
    AppendCells(row.cells, At(kNow), &out);
    EXPECT_EQ(out, row.shown) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops
