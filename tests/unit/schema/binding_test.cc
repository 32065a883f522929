#include "api/schema/binding.h"

#include <gtest/gtest.h>

#include "tests/unit/schema/widget.h"

namespace asyncops {
namespace {

Json Parse(std::string_view text) {
  const Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().ToString();
  return json.ok() ? *json : Json();
}

constexpr const char* kWidget =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{)"
    R"("body":{"x":[1,null]},"code":"abc","color":"Blue","delay":"1m30s",)"
    R"("due":"2026-01-02T03:04:05Z","enabled":true,"mainPart":{"count":0,"name":"m"},)"
    R"("parts":[{"name":"p"}],"ratio":0.5,"secrets":{"k":"eA=="},)"
    R"("seen":"2026-01-02T03:04:05.000006Z","sizes":[1,2]},"status":{"conditions":[{)"
    R"("lastTransitionTime":"2026-01-02T03:04:05Z","message":"","reason":"Up","status":"True",)"
    R"("type":"Ready"}]}})";

TEST(BindingTest, RoundTripKeepsEveryField) {
  const Result<Widget> widget = DecodeAs<Widget>(Parse(kWidget));
  ASSERT_TRUE(widget.ok()) << widget.status().ToString();
  EXPECT_EQ(widget->spec.delay, std::chrono::seconds(90));
  EXPECT_EQ(widget->spec.main_part, (Part{.name = "m", .count = 0}));
  EXPECT_EQ(EncodeJson(Widget::Binding().Encode(*widget)), kWidget);
}

TEST(BindingTest, EmptyMembersAreLeftOutUnlessRequiredOrAlways) {
  EXPECT_EQ(
      EncodeJson(Widget::Binding().Encode(Widget())),
      R"({"apiVersion":"example.com/v1","kind":"Widget","spec":{"code":"","enabled":false}})");
}

TEST(BindingTest, AbsentAndNullMembersKeepTheirInitialValues) {
  const Result<WidgetSpec> spec = DecodeAs<WidgetSpec>(Parse(R"({"code":null,"delay":null})"));
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(*spec, WidgetSpec());
}

TEST(BindingTest, IntegerMayBeWrittenAsANumberWithoutFraction) {
  const Result<Part> part = DecodeAs<Part>(Parse(R"({"count":3.0})"));
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->count, 3);
}

TEST(BindingTest, WrongTypesAreBadRequestsThatNameTheField) {
  struct Row {
    const char* in;
    const char* message;
  };
  const Row rows[] = {
      {R"({"spec":{"code":5}})", "spec: code: expected a string, got an integer"},
      {R"({"spec":{"parts":{}}})", "spec: parts: expected an array, got an object"},
      {R"({"spec":{"parts":[{"count":1.5}]}})",
       "spec: parts: [0]: count: expected an integer, got a number"},
      {R"({"spec":{"secrets":{"k":null}}})", "spec: secrets: k: expected a string, got null"},
      {R"({"spec":{"delay":"soon"}})", "spec: delay: \"soon\" is no duration such as 30s or 1h30m"},
      {R"({"spec":{"due":"soon"}})", "spec: due: \"soon\" is no RFC 3339 time"},
      {R"({"spec":[]})", "spec: expected an object, got an array"},
      {R"({"spec":{"enabled":"x"}})", "spec: enabled: expected a boolean, got a string"},
      {R"({"spec":{"ratio":true}})", "spec: ratio: expected a number, got a boolean"},
  };
  for (const Row& row : rows) {
    const Result<Widget> widget = DecodeAs<Widget>(Parse(row.in));
    ASSERT_FALSE(widget.ok()) << row.in;
    EXPECT_EQ(widget.status(), BadRequest(row.message)) << widget.status().message();
  }
}

TEST(BindingTest, OptionsOfStringsGoToTheItemsOfAListOrMap) {
  const SchemaRef schema = WidgetSpec::Binding().schema();
  EXPECT_EQ(schema->Find("secrets")->schema->items->format, StringFormat::kBase64);
  EXPECT_EQ(schema->Find("sizes")->schema->items->maximum, 9.5);
  EXPECT_EQ(schema->Find("parts")->schema->max_items, 2u);
  EXPECT_EQ(schema->Find("parts")->schema->items->name, "com.example.v1.Part");
  EXPECT_EQ(schema->Find("nothing"), nullptr);
}

}  // namespace
}  // namespace asyncops
