#include "base/read_file.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/support/temp_dir.h"

namespace asyncops {
namespace {

TEST(ReadFileTest, GivesEachByte) {
  const TempDir dir;
  std::string bytes(100'000, 'x');
  bytes[0] = '\0';
  bytes.back() = '\n';
  EXPECT_EQ(*ReadFile(dir.Write("file", bytes), "the file"), bytes);
  EXPECT_EQ(*ReadFile(dir.Write("empty", ""), "the file"), "");
}

TEST(ReadFileTest, SaysWhatCannotBeReadAndWhy) {
  const TempDir dir;
  EXPECT_EQ(
      ReadFile(dir.path() + "/none", "the token").status().ToString(),
      "BadRequest: the token " + dir.path() + "/none cannot be read: No such file or directory");
  EXPECT_EQ(ReadFile(dir.path(), "the token").status().ToString(),
            "BadRequest: the token " + dir.path() + " cannot be read: Is a directory");
}

TEST(ReadFileTest, TakesFourMebibytesAndNotAByteMore) {
  const TempDir dir;
  std::string bytes(4u * 1024 * 1024, 'x');
  EXPECT_TRUE(ReadFile(dir.Write("file", bytes), "the bundle").ok());
  bytes += 'x';
  const std::string path = dir.Write("file", bytes);
  EXPECT_EQ(ReadFile(path, "the bundle").status().ToString(),
            "BadRequest: the bundle " + path + " is too large");
}

}  // namespace
}  // namespace asyncops
