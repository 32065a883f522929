#include "api/meta/field_selector.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

const std::vector<std::string> kKnown = {"status.phase", "metadata.name", "metadata.namespace"};

TEST(FieldSelectorTest, ParsesTermsAndUnescapesValues) {
  struct Row {
    const char* text;
    std::vector<FieldRequirement> requirements;
    const char* reason;
  };
  const Row rows[] = {
      {"", {}, "nothing selects everything"},
      {",,", {}, "empty terms are skipped"},
      {"metadata.name=a", {{"metadata.name", true, "a"}}, "="},
      {"metadata.name==a", {{"metadata.name", true, "a"}}, "=="},
      {"metadata.name!=a", {{"metadata.name", false, "a"}}, "!="},
      {"status.phase=", {{"status.phase", true, ""}}, "the empty value"},
      {"metadata.name=a,status.phase!=b",
       {{"metadata.name", true, "a"}, {"status.phase", false, "b"}},
       "in the order in which they stand"},
      {R"(metadata.name=a\,b\=c\\d)", {{"metadata.name", true, R"(a,b=c\d)"}}, "escapes"},
      {"metadata.name=a b!", {{"metadata.name", true, "a b!"}}, "other characters as they are"},
  };
  for (const Row& row : rows) {
    const Result<FieldSelector> selector = ParseFieldSelector(row.text, kKnown);
    ASSERT_TRUE(selector.ok()) << row.text << ": " << selector.status().ToString();
    EXPECT_EQ(selector->requirements, row.requirements) << row.text << ": " << row.reason;
  }
}

TEST(FieldSelectorTest, MistakesAreBadRequestsThatNameThePart) {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
      {"metadata.name=a=b", "invalid field selector: unescaped character in value: = (write \\=)"},
      {R"(metadata.name=\x)", R"(invalid field selector: invalid escape sequence: \x)"},
      {R"(metadata.name=a\)", R"(invalid field selector: invalid escape sequence: \)"},
      {"spec.x=1",
       "\"spec.x\" is not a known field selector: only \"metadata.name\", "
       "\"metadata.namespace\", \"status.phase\""},
      {"=x",
       "\"\" is not a known field selector: only \"metadata.name\", "
       "\"metadata.namespace\", \"status.phase\""},
  };
  for (const Row& row : rows) {
    const Result<FieldSelector> selector = ParseFieldSelector(row.text, kKnown);
    ASSERT_FALSE(selector.ok()) << row.text;
    EXPECT_EQ(selector.status(), BadRequest(row.message)) << selector.status().message();
  }
}

TEST(FieldSelectorTest, MatchesWhereAllRequirementsHold) {
  const Result<FieldSelector> selector =
      ParseFieldSelector("metadata.name=a,status.phase!=Failed", kKnown);
  ASSERT_TRUE(selector.ok());
  EXPECT_TRUE(selector->Matches({{"metadata.name", "a"}, {"status.phase", "Ready"}}));
  EXPECT_TRUE(selector->Matches({{"metadata.name", "a"}})) << "an absent field reads as empty";
  EXPECT_FALSE(selector->Matches({{"metadata.name", "a"}, {"status.phase", "Failed"}}));
  EXPECT_FALSE(selector->Matches({}));
}

}  // namespace
}  // namespace asyncops
