#include "base/json_raw.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace asyncops {
namespace {

const std::string& Sample() {
  static const std::string kSample = EncodeJson(Json::Of(
      {{"a", Json::Of({{"b", "x\"},{\\"}, {"c", JsonArray{1, "two", JsonArray{3}, JsonObject()}}})},
       {"e", ""},
       {"long", std::string(200, 'l') + "\\\"" + std::string(30, 'm')},
       {"n", nullptr},
       {"z", -1.5}}));
  return kSample;
}

TEST(JsonRawTest, FindsWhatTheTreeHolds) {
  const std::vector<std::vector<std::string>> paths = {{"a"},    {"a", "b"}, {"a", "c"}, {"e"},
                                                       {"long"}, {"n"},      {"z"}};
  const Json tree = *ParseJson(Sample());
  for (const std::vector<std::string>& path : paths) {
    const Json* found = &tree;
    for (const std::string& name : path) found = found->Find(name);
    EXPECT_EQ(RawAt(Sample(), path), EncodeJson(*found)) << path.back();
  }
}

TEST(JsonRawTest, FindsNothingWhereThereIsNothing) {
  EXPECT_EQ(RawMember(Sample(), "b"), "") << "a member of another object";
  EXPECT_EQ(RawAt(Sample(), {"e", "x"}), "") << "below a string";
  EXPECT_EQ(RawMember("", "a"), "");
  EXPECT_EQ(RawMember("[1]", "a"), "");
  EXPECT_EQ(RawMember("{}", "a"), "");
}

TEST(JsonRawTest, ObjectFoundInOnePassAnswersAsSingleLookUpsDo) {
  const RawObject object(Sample());
  for (const std::string name : {"a", "b", "e", "long", "n", "z"})
    EXPECT_EQ(object.Find(name), RawMember(Sample(), name)) << name;
  EXPECT_EQ(RawObject("17").Find("a"), "");
}

TEST(JsonRawTest, ItemsOfAnArrayStandApart) {
  const std::vector<std::string_view> items = RawItems(RawAt(Sample(), {"a", "c"}));
  EXPECT_EQ(items, (std::vector<std::string_view>{"1", "\"two\"", "[3]", "{}"}));
  EXPECT_TRUE(RawItems("[]").empty());
  EXPECT_TRUE(RawItems("{}").empty());
}

TEST(JsonRawTest, TextOfAStringHasItsEscapesResolved) {
  EXPECT_EQ(RawText(RawAt(Sample(), {"a", "b"})), "x\"},{\\");
  EXPECT_EQ(RawText("\"plain\""), "plain");
  EXPECT_EQ(RawText("12"), "12") << "other values as they stand";
}

TEST(JsonRawTest, BytesThatAreCutShortEndTheSearch) {
  for (std::size_t length = 0; length < Sample().size(); ++length) {
    const std::string cut = Sample().substr(0, length);
    const RawObject object{std::string_view(cut)};
    EXPECT_LE(object.Find("z").size(), cut.size());
    EXPECT_LE(RawMember(cut, "long").size(), cut.size());
    EXPECT_LE(RawItems(RawAt(cut, {"a", "c"})).size(), 4U);
  }
}

}  // namespace
}  // namespace asyncops
