#include "base/json.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

std::vector<std::string> NamesOf(const JsonObject& object) {
  std::vector<std::string> names;
  for (const JsonMember& member : object) names.push_back(member.name);
  return names;
}

TEST(JsonObjectTest, MembersAreSortedByName) {
  const JsonObject object{{"b", 1}, {"a", 2}, {"B", 3}};
  EXPECT_EQ(NamesOf(object), (std::vector<std::string>{"B", "a", "b"}));
}

TEST(JsonObjectTest, LaterMemberReplacesAnEarlierOneOfTheSameName) {
  const JsonObject listed{{"a", 1}, {"b", 2}, {"a", 3}};
  const JsonObject gathered(std::vector<JsonMember>{{"b", 0}, {"a", 1}, {"b", 2}, {"a", 3}});
  EXPECT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed.Find("a")->as_int(), 3);
  EXPECT_EQ(listed, gathered);
}

TEST(JsonObjectTest, FindSetAndEraseAgree) {
  JsonObject object;
  EXPECT_TRUE(object.empty());
  EXPECT_EQ(object.Find("a"), nullptr);
  object.Set("a", 1);
  object["b"] = "x";
  EXPECT_TRUE(object["c"].is_null()) << "a missing member is added as null";
  EXPECT_TRUE(object.Has("c"));
  EXPECT_TRUE(object.Erase("a"));
  EXPECT_FALSE(object.Erase("a")) << "it is gone";
  EXPECT_EQ(NamesOf(object), (std::vector<std::string>{"b", "c"}));
}

TEST(JsonObjectTest, ValuesChangeInAWalkOverTheMembers) {
  JsonObject object{{"a", 1}, {"b", 2}};
  for (const JsonMember& member : object) object.ValueOf(member) = member.value.as_int() + 1;
  EXPECT_EQ(object, (JsonObject{{"a", 2}, {"b", 3}}));
}

TEST(JsonTest, ValuesKeepTheirType) {
  EXPECT_EQ(Json(nullptr).type(), Json::Type::kNull);
  EXPECT_EQ(Json(true).type(), Json::Type::kBool);
  EXPECT_EQ(Json(7U).type(), Json::Type::kInt);
  EXPECT_EQ(Json(1.5).type(), Json::Type::kDouble);
  EXPECT_EQ(Json("text").type(), Json::Type::kString);
  EXPECT_EQ(Json(JsonArray{}).type(), Json::Type::kArray);
  EXPECT_EQ(Json(JsonObject{}).type(), Json::Type::kObject);
}

TEST(JsonTest, TypeNamesAreThoseOfJsonSchema) {
  EXPECT_EQ(JsonTypeName(Json::Type::kNull), "null");
  EXPECT_EQ(JsonTypeName(Json::Type::kBool), "boolean");
  EXPECT_EQ(JsonTypeName(Json::Type::kInt), "integer");
  EXPECT_EQ(JsonTypeName(Json::Type::kDouble), "number");
  EXPECT_EQ(JsonTypeName(Json::Type::kString), "string");
  EXPECT_EQ(JsonTypeName(Json::Type::kArray), "array");
  EXPECT_EQ(JsonTypeName(Json::Type::kObject), "object");
}

TEST(JsonTest, PathsReadNestedMembersAndTolerateWhatIsMissing) {
  const Json value = Json::Of({{"a", Json::Of({{"b", "text"}, {"n", 5}})}});
  EXPECT_EQ(value.FindPath({"a", "b"})->as_string(), "text");
  EXPECT_EQ(value.FindPath({"a", "b", "c"}), nullptr) << "a string has no members";
  EXPECT_EQ(value.StringAt({"a", "b"}), "text");
  EXPECT_EQ(value.StringAt({"a", "n"}), "") << "a number is no string";
  EXPECT_EQ(value.IntAt({"a", "n"}, 9), 5);
  EXPECT_EQ(value.IntAt({"a", "b"}, 9), 9) << "a string is no number";
}

TEST(JsonTest, ObjectAtAndSetMakeObjectsOfWhatIsNone) {
  Json value;
  value.ObjectAt("metadata").Set("name", "x");
  value.ObjectAt("metadata").Set("uid", "u");
  EXPECT_EQ(value, Json::Of({{"metadata", Json::Of({{"name", "x"}, {"uid", "u"}})}}));
  Json text = "text";
  text.Set("a", 1);
  EXPECT_EQ(text, Json::Of({{"a", 1}}));
}

TEST(JsonTest, IntReadsAsDouble) { EXPECT_EQ(Json(3).as_double(), 3.0); }

TEST(JsonDeathTest, ReadingAnotherTypeEndsTheProcess) {
  EXPECT_DEATH(static_cast<void>(Json("text").as_int()), "");
}

TEST(JsonTest, CopiesAreDeep) {
  const Json original = Json::Of({{"list", JsonArray{1, 2}}});
  Json copy = original;
  copy.Find("list")->as_array().push_back(3);
  EXPECT_EQ(original.Find("list")->as_array().size(), 2U);
  EXPECT_FALSE(copy == original);
}

}  // namespace
}  // namespace asyncops
