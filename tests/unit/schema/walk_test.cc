#include "api/schema/walk.h"

#include <gtest/gtest.h>

#include "api/schema/binding.h"
#include "tests/unit/schema/widget.h"

namespace asyncops {
namespace {

Json Parse(std::string_view text) {
  const Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status().ToString();
  return json.ok() ? *json : Json();
}

const Schema& SpecSchema() {
  static const SchemaRef kSchema = WidgetSpec::Binding().schema();
  return *kSchema;
}

TEST(PruneUnknownFieldsTest, RemovesWhatTheSchemaDoesNotKnowAndNamesIt) {
  struct Row {
    const char* in;
    const char* out;
    std::vector<std::string> removed;
    const char* reason;
  };
  const Row rows[] = {
      {R"({"code":"a"})", R"({"code":"a"})", {}, "nothing unknown"},
      {R"({"codes":1,"code":"a","zip":2})", R"({"code":"a"})", {"codes", "zip"}, "members"},
      {R"({"mainPart":{"name":"x","nam":1}})",
       R"({"mainPart":{"name":"x"}})",
       {"mainPart.nam"},
       "nested"},
      {R"({"parts":[{"name":"x"},{"a.b":1}]})",
       R"({"parts":[{"name":"x"},{}]})",
       {"parts[1][a.b]"},
       "in a list, a name with a dot"},
      {R"({"body":{"any":{"thing":1}}})", R"({"body":{"any":{"thing":1}}})", {}, "free-form"},
      {R"({"secrets":{"any":"x"}})", R"({"secrets":{"any":"x"}})", {}, "a map has any name"},
      {R"({"parts":{"name":1},"mainPart":[1]})",
       R"({"mainPart":[1],"parts":{"name":1}})",
       {},
       "wrong types are validation's"},
      {R"([1])", "[1]", {}, "no object at all"},
  };
  for (const Row& row : rows) {
    Json value = Parse(row.in);
    EXPECT_EQ(PruneUnknownFields(SpecSchema(), &value), row.removed) << row.reason;
    EXPECT_EQ(EncodeJson(value), row.out) << row.reason;
  }
}

TEST(ApplyDefaultsTest, FillsInsideWhatIsPresentAndDropsNulls) {
  struct Row {
    const char* in;
    const char* out;
    const char* reason;
  };
  const Row rows[] = {
      {"{}", R"({"color":"Red"})", "absent"},
      {R"({"color":null})", R"({"color":"Red"})", "null counts as absent"},
      {R"({"color":"Blue"})", R"({"color":"Blue"})", "present"},
      {R"({"mainPart":{}})", R"({"color":"Red","mainPart":{"count":1}})", "inside an object"},
      {R"({"parts":[{},{"count":2}]})", R"({"color":"Red","parts":[{"count":1},{"count":2}]})",
       "inside a list"},
      {R"({"code":null,"delay":null,"mainPart":null})", R"({"color":"Red"})", "nulls go"},
      {R"({"body":null})", R"({"body":null,"color":"Red"})", "a free-form null stays"},
      {R"({"body":{"color":null}})", R"({"body":{"color":null},"color":"Red"})",
       "free-form inside"},
      {R"({"secrets":{"a":null,"b":"x"}})", R"({"color":"Red","secrets":{"b":"x"}})", "in a map"},
      {R"({"parts":"no"})", R"({"color":"Red","parts":"no"})", "wrong types stay"},
  };
  for (const Row& row : rows) {
    Json value = Parse(row.in);
    ApplyDefaults(SpecSchema(), &value);
    EXPECT_EQ(EncodeJson(value), row.out) << row.reason;
  }
}

std::vector<std::string> Texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const FieldError& error : errors) out.push_back(error.ToString());
  return out;
}

struct Mistake {
  const char* in;
  std::vector<std::string> errors;
  const char* reason;
};

void ExpectMistakes(const std::vector<Mistake>& rows) {
  for (const Mistake& row : rows) {
    const Json value = Parse(row.in);
    const FieldErrors errors = ValidateStructure(SpecSchema(), value);
    EXPECT_EQ(Texts(errors), row.errors) << row.reason << ": " << row.in;
    if (errors.empty()) {
      EXPECT_TRUE(DecodeAs<WidgetSpec>(value).ok()) << row.in;
    }
  }
}

TEST(ValidateStructureTest, MistakeOfAValueIsNamedWithItsPath) {
  ExpectMistakes({
      {R"({"code":"a"})", {}, "fine"},
      {"{}", {"code: Required value"}, "required"},
      {R"({"code":null})", {"code: Required value"}, "null is absent"},
      {"[]", {": Invalid value: \"array\": must be an object"}, "no object"},
      {R"({"code":5})", {"code: Invalid value: \"integer\": must be a string"}, "type"},
      {R"({"code":"ABC"})",
       {"code: Invalid value: \"ABC\": must be lower case letters"},
       "pattern"},
      {R"({"code":"ab\n"})",
       {"code: Invalid value: \"ab\\n\": must be lower case letters"},
       "the pattern covers the end of the text"},
      {R"({"code":"abcde"})", {"code: Too long: may not be more than 4 characters"}, "length"},
      {R"({"code":"a","color":"Green"})",
       {"color: Unsupported value: \"Green\": supported values: \"Red\", \"Blue\""},
       "enum"},
      {R"({"code":"a","delay":"5 minutes"})",
       {"delay: Invalid value: \"5 minutes\": must be a duration such as 30s, 5m or 1h30m"},
       "duration"},
      {R"({"code":"a","due":"today"})",
       {"due: Invalid value: \"today\": must be an RFC 3339 time such as 2026-01-31T12:00:00Z"},
       "time"},
      {R"({"code":"a","secrets":{"k":"hunter2!"}})",
       {"secrets.k: Invalid value: must be base64 with padding"},
       "a secret is not shown"},
  });
}

TEST(ValidateStructureTest, EveryMistakeInsideListsAndMapsIsNamed) {
  ExpectMistakes({
      {R"({"code":"a","secrets":{"a.b":7}})",
       {"secrets[a.b]: Invalid value: \"integer\": must be a string"},
       "map value"},
      {R"({"code":"a","parts":[{"name":""},{"count":-1}]})",
       {"parts[0].name: Invalid value: \"\": must not be empty", "parts[1].name: Required value",
        "parts[1].count: Invalid value: -1: must be greater than or equal to 0"},
       "all mistakes of a list"},
      {R"({"code":"a","parts":[{"name":"x"},{"name":"y"},{"name":"x"}]})",
       {"parts: Too many: 3: must have at most 2 items",
        "parts[2]: Duplicate value: {\"name\":\"x\"}"},
       "bounds and keys"},
      {R"({"code":"a","parts":[null]})",
       {"parts[0]: Invalid value: \"null\": must be an object"},
       "null in a list"},
      {R"({"code":"a","sizes":[1,10,2.5,3.0]})",
       {"sizes[1]: Invalid value: 10: must be less than or equal to 9.5",
        "sizes[2]: Invalid value: \"number\": must be an integer"},
       "bounds of items; 3.0 is an integer"},
      {R"({"code":"a","sizes":[1e30]})",
       {"sizes[0]: Invalid value: \"number\": must be an integer"},
       "beyond int64"},
      {R"({"code":"a","ratio":"1"})",
       {"ratio: Invalid value: \"string\": must be a number"},
       "number"},
      {R"({"code":"a","enabled":"yes"})",
       {"enabled: Invalid value: \"string\": must be a boolean (true or false)"},
       "boolean"},
      {R"({"code":"a","body":[{"x":null}]})", {}, "free-form"},
      {R"({"code":"ééé","color":7,"mainPart":{}})",
       {"color: Invalid value: \"integer\": must be a string",
        "code: Invalid value: \"ééé\": must be lower case letters",
        "mainPart.name: Required value"},
       "characters are counted, and all is reported in the order of the fields"},
  });
}

TEST(ValidateStructureTest, PathsOfAWholeObjectBeginAtItsRoot) {
  const Json value = Parse(R"({"metadata":{"labels":{"a":1}},"spec":{}})");
  EXPECT_EQ(
      Texts(ValidateStructure(*Widget::Binding().schema(), value)),
      (std::vector<std::string>{"metadata.labels.a: Invalid value: \"integer\": must be a string",
                                "spec.code: Required value"}));
}

TEST(ValidateStructureTest, PatternOfASchemaMadeByHandIsChecked) {
  Schema schema;
  schema.type = SchemaType::kString;
  schema.pattern = "a|b";
  EXPECT_EQ(ValidateStructure(schema, "b"), FieldErrors{});
  EXPECT_EQ(Texts(ValidateStructure(schema, "ab")),
            (std::vector<std::string>{": Invalid value: \"ab\": must match 'a|b'"}));
}

}  // namespace
}  // namespace asyncops
