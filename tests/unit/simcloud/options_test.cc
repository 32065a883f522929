#include "tests/simcloud/options.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace asyncops::simcloud {
namespace {

TEST(SimcloudOptionsTest, BothFormsOfAFlagAreTaken) {
  const Result<Options> options = ParseOptions(
      {"--port", "8080", "--address=::1", "--operation-duration=300ms", "--idempotency", "off"});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->port, 8080);
  EXPECT_EQ(options->address, "::1");
  EXPECT_EQ(options->behaviour.operation_duration, std::chrono::milliseconds(300));
  EXPECT_FALSE(options->behaviour.idempotency);
}

TEST(SimcloudOptionsTest, LocalhostIsALoopbackAddress) {
  EXPECT_EQ(ParseOptions({"--address=localhost"})->address, "127.0.0.1");
}

TEST(SimcloudOptionsTest, MistakesAreRefused) {
  struct Row {
    std::vector<std::string_view> arguments;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {{"--address=0.0.0.0"}, "all addresses"},
      {{"--address=::"}, "all IPv6 addresses"},
      {{"--address=10.0.0.1"}, "an address that others reach"},
      {{"--address=example.com"}, "a name"},
      {{"--address"}, "no value"},
      {{"--port=65536"}, "port too large"},
      {{"--port=-1"}, "negative port"},
      {{"--port=80x"}, "port that is no number"},
      {{"--port"}, "no port"},
      {{"--idempotency=yes"}, "neither on nor off"},
      {{"--operation-duration=2"}, "duration without a unit"},
      {{"--verbose"}, "unknown flag"},
      {{"serve"}, "a word"},
  };
  for (const Row& row : rows) EXPECT_FALSE(ParseOptions(row.arguments).ok()) << row.reason;
}

TEST(SimcloudOptionsTest, HelpWinsOverWhatFollows) {
  EXPECT_TRUE(ParseOptions({"--help", "--nonsense"})->help);
}

}  // namespace
}  // namespace asyncops::simcloud
