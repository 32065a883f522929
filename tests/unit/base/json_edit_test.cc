#include "base/json_edit.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace asyncops {
namespace {

JsonObject ObjectOf(std::string_view text) { return ParseJson(text)->as_object(); }

TEST(JsonEditTest, ErasesWhatIsSaidAndAsksInOrder) {
  JsonObject object = ObjectOf(R"({"a":1,"b":{"x":2},"c":3,"d":[4]})");
  std::string asked;
  EraseMembersIf(&object, [&asked](const std::string& name) {
    asked += name;
    return name == "a" || name == "c";
  });
  EXPECT_EQ(asked, "abcd");
  EXPECT_EQ(EncodeJson(Json(object)), R"({"b":{"x":2},"d":[4]})");
  EraseMembersIf(&object, [](const std::string& /*name*/) { return true; });
  EXPECT_TRUE(object.empty());
}

TEST(JsonEditTest, MergesInTheOrderOfNames) {
  const std::vector<std::array<const char*, 3>> rows = {
      {R"({"b":1,"d":2})", R"({"a":3,"c":4,"e":5})", R"({"a":3,"b":1,"c":4,"d":2,"e":5})"},
      {R"({"a":1,"b":2})", R"({"b":{"x":3}})", R"({"a":1,"b":{"x":3}})"},
      {R"({"b":1})", R"({"b":2,"c":3})", R"({"b":2,"c":3})"},
      {"{}", R"({"a":1})", R"({"a":1})"},
      {R"({"a":1})", "{}", R"({"a":1})"},
  };
  for (const auto& [mine, more, merged] : rows) {
    JsonObject object = ObjectOf(mine);
    MergeMembers(&object, ObjectOf(more));
    EXPECT_EQ(EncodeJson(Json(std::move(object))), merged) << mine << " and " << more;
  }
}

TEST(JsonEditTest, IsTheSameAsMemberByMember) {
  JsonObject object;
  JsonObject more;
  for (int i = 0; i < 500; ++i) {
    object.Set("k" + std::to_string(i * 7 % 501), i);
    more.Set("k" + std::to_string(i * 5 % 701), -i);
  }
  JsonObject expected = object;
  for (const JsonMember& member : more) expected.Set(member.name, member.value);
  MergeMembers(&object, more);
  EXPECT_EQ(object, expected);
  const auto gone = [](const std::string& name) { return name.ends_with("3"); };
  for (int i = 0; i < 701; ++i) {
    if (gone("k" + std::to_string(i))) expected.Erase("k" + std::to_string(i));
  }
  EraseMembersIf(&object, gone);
  EXPECT_EQ(object, expected);
}

}  // namespace
}  // namespace asyncops
