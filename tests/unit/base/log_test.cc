#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/rfc3339.h"

namespace asyncops {
namespace {

// Each test starts and leaves with the default level.
class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override { SetLogLevel(LogLevel::kInfo); }

  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start);
      lines.push_back(text.substr(start, end - start));
      start = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
  }
};

TEST_F(LogTest, WritesOneJsonLineWithItsFieldsInOrder) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, "submitted operation", {{"name", "x"}, {"attempt", 2}});
  const std::string text = testing::internal::GetCapturedStderr();
  const Result<Json> line = ParseJson(text);
  ASSERT_TRUE(line.ok()) << text;
  EXPECT_TRUE(ParseTime(line->StringAt({"ts"})).has_value()) << text;
  const std::string rest = text.substr(text.find(",\"level\""));
  EXPECT_EQ(rest,
            ",\"level\":\"info\",\"msg\":\"submitted operation\",\"name\":\"x\",\"attempt\":2}\n");
}

TEST_F(LogTest, LineBreaksInAFieldCannotForgeALine) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kWarning, "refused", {{"name", "x\n{\"level\":\"info\"}"}});
  EXPECT_EQ(Lines(testing::internal::GetCapturedStderr()).size(), 1U);
}

TEST_F(LogTest, LinesBelowTheLevelAreDropped) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kDebug, "below the default");
  SetLogLevel(LogLevel::kError);
  Log(LogLevel::kWarning, "below");
  Log(LogLevel::kError, "at");
  SetLogLevel(LogLevel::kDebug);
  Log(LogLevel::kDebug, "at again");
  const std::vector<std::string> lines = Lines(testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], testing::HasSubstr("\"level\":\"error\",\"msg\":\"at\""));
  EXPECT_THAT(lines[1], testing::HasSubstr("\"level\":\"debug\",\"msg\":\"at again\""));
}

TEST_F(LogTest, LinesOfSeveralThreadsStayWhole) {
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < 100; ++i)
          Log(LogLevel::kInfo, "line", {{"thread", t}, {"text", std::string(500, 'x')}});
      });
    }
  }
  const std::vector<std::string> lines = Lines(testing::internal::GetCapturedStderr());
  EXPECT_EQ(lines.size(), 400U);
  for (const std::string& line : lines) EXPECT_TRUE(ParseJson(line).ok()) << line;
}

TEST_F(LogTest, LevelsHaveNames) {
  LogLevel level = LogLevel::kInfo;
  EXPECT_TRUE(ParseLogLevel("debug", &level));
  EXPECT_EQ(level, LogLevel::kDebug);
  EXPECT_TRUE(ParseLogLevel("error", &level));
  EXPECT_EQ(level, LogLevel::kError);
  for (const std::string_view text : {"", "INFO", "warn", "trace"}) {
    EXPECT_FALSE(ParseLogLevel(text, &level)) << text;
    EXPECT_EQ(level, LogLevel::kError) << "left as it was";
  }
}

}  // namespace
}  // namespace asyncops
