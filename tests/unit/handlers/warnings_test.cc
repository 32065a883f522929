#include "apiserver/handlers/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::apiserver {
namespace {

std::vector<std::string> Sent(const std::vector<std::string>& warnings) {
  http::Response response;
  AddWarnings(warnings, &response);
  std::vector<std::string> out;
  for (const std::string_view value : response.headers.GetAll("Warning")) out.emplace_back(value);
  return out;
}

TEST(WarningsTest, QuotesAndSendsEachOnce) {
  EXPECT_THAT(Sent({"a \"b\" \\c", "d", "d"}),
              testing::ElementsAre("299 - \"a \\\"b\\\" \\\\c\"", "299 - \"d\""));
}

TEST(WarningsTest, LeavesOutWhatAHeaderMayNotHold) {
  EXPECT_THAT(Sent({"a\r\nX-Forged: b\x7f\xc3\xa9"}),
              testing::ElementsAre("299 - \"aX-Forged: b\""));
}

TEST(WarningsTest, AreWholeWhileTheyAreShortTogether) {
  const std::string longest(4096, 'x');
  EXPECT_EQ(Sent({longest}).front().size(), longest.size() + 8);
  EXPECT_EQ(Sent({"", "a"}).size(), 1u);
}

TEST(WarningsTest, AreCutEachAndEndAtATotalWhereTheyAreLongTogether) {
  EXPECT_EQ(Sent({std::string(4097, 'x')}).front().size(), 256u + 8u);
  std::vector<std::string> many;
  for (int i = 0; i < 30; ++i) many.push_back(std::string(250, 'x') + std::to_string(i));
  EXPECT_EQ(Sent(many).size(), 17u) << "the one that reaches the total is the last";
}

TEST(WarningsTest, AreNoMoreThanClientsTake) {
  std::vector<std::string> many;
  for (int i = 0; i < 80000; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(Sent(many).size(), 50u);
}

TEST(WarningsTest, AreNotCutWithinACharacter) {
  // 256 characters of two bytes each; a header shows neither.
  std::string text;
  for (int i = 0; i < 4200; ++i) text += i < 255 ? "\xc3\xa9" : "b";
  EXPECT_THAT(Sent({text}), testing::ElementsAre("299 - \"b\""));
}

}  // namespace
}  // namespace asyncops::apiserver
