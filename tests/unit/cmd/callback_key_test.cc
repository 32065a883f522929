#include "apiserver/cmd/callback_key.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace asyncops {
namespace {

TEST(CallbackKeyTest, IsMadeOnceAndForItsOwnerAlone) {
  const TempDir first;
  const auto key = LoadCallbackKey(first.path());
  ASSERT_TRUE(key.ok()) << key.status().ToString();
  EXPECT_EQ(key->size(), 32U);
  EXPECT_EQ(*LoadCallbackKey(first.path()), *key);
  struct stat status {};
  ASSERT_EQ(stat(first.File("callback.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  const TempDir second;
  EXPECT_NE(*LoadCallbackKey(second.path()), *key);
}

TEST(CallbackKeyTest, FileOfAnotherKindIsRefusedByItsName) {
  for (const char* text :
       {"", "short", "not base64 at all, and rather longer than a key is....."}) {
    const TempDir directory;
    std::ofstream(directory.File("callback.key")) << text;
    const auto key = LoadCallbackKey(directory.path());
    ASSERT_FALSE(key.ok()) << text;
    EXPECT_NE(key.status().message().find("callback.key"), std::string::npos);
  }
}

}  // namespace
}  // namespace asyncops
