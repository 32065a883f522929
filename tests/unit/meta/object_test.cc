#include "api/meta/object.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

TEST(EncodeObjectTest, VersionIsEmptyAtItsPlaceAndTheOffsetIsBetweenItsQuotes) {
  struct Row {
    const char* in;
    const char* out;
    const char* reason;
  };
  const Row rows[] = {
      {R"({"kind":"K","metadata":{"name":"n","uid":"u"}})",
       R"({"kind":"K","metadata":{"name":"n","resourceVersion":"","uid":"u"}})", "in the middle"},
      {R"({"metadata":{"name":"n"}})", R"({"metadata":{"name":"n","resourceVersion":""}})", "last"},
      {R"({"metadata":{"uid":"u"},"spec":{}})",
       R"({"metadata":{"resourceVersion":"","uid":"u"},"spec":{}})", "first"},
      {R"({"metadata":{}})", R"({"metadata":{"resourceVersion":""}})", "alone"},
      {R"({"metadata":{"name":"n","resourceVersion":"42","uid":"u"}})",
       R"({"metadata":{"name":"n","resourceVersion":"","uid":"u"}})", "an old one is dropped"},
      {R"({"metadata":{"resourceVersion":"42"}})", R"({"metadata":{"resourceVersion":""}})",
       "an old one alone"},
      {R"({"a":{"resourceVersion":"1"},"metadata":{}})",
       R"({"a":{"resourceVersion":"1"},"metadata":{"resourceVersion":""}})",
       "only that of metadata"},
  };
  for (const Row& row : rows) {
    const Result<Json> object = ParseJson(row.in);
    ASSERT_TRUE(object.ok()) << row.in;
    const ObjectText text = EncodeObject(*object);
    EXPECT_EQ(text.json, row.out) << row.reason;
    std::string filled = text.json;
    filled.insert(text.revision_at, "7");
    Json expected = *object;
    expected.ObjectAt("metadata").Set("resourceVersion", "7");
    EXPECT_EQ(filled, EncodeJson(expected)) << row.reason;
  }
}

TEST(SameBesideTest, ComparesBothWaysAndLeavesOutWhatIsNamed) {
  const auto same = [](const char* a, const char* b) {
    return SameBeside({"metadata", "status"}, ParseJson(a).value(), ParseJson(b).value());
  };
  EXPECT_TRUE(same(R"({"spec":1,"status":2})", R"({"metadata":3,"spec":1})"));
  EXPECT_FALSE(same(R"({"spec":1})", R"({"spec":2})"));
  EXPECT_FALSE(same(R"({"spec":1})", R"({})")) << "a member is gone";
  EXPECT_FALSE(same(R"({})", R"({"spec":1})")) << "a member is new";
}

}  // namespace
}  // namespace asyncops
