// The fakes and helpers of tests/support and the real clock: what other tests rely on.
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <sys/stat.h>

#include "base/rfc3339.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/support/temp_dir.h"

namespace asyncops {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

bool Exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

TEST(SystemClockTest, WallClockIsPlausibleAndSteadyClockNeverFalls) {
  const SystemClock clock;
  EXPECT_GT(clock.Now(), *ParseTime("2024-01-01T00:00:00Z"));
  const SteadyTime before = clock.SteadyNow();
  EXPECT_GE(clock.SteadyNow(), before);
}

TEST(FakeClockTest, StandsStillUntilAdvanced) {
  FakeClock clock;
  const SteadyTime steady = clock.SteadyNow();
  EXPECT_EQ(FormatTime(clock.Now()), "2026-01-01T00:00:00Z");
  clock.Advance(seconds(90));
  EXPECT_EQ(FormatTime(clock.Now()), "2026-01-01T00:01:30Z");
  EXPECT_EQ(clock.SteadyNow() - steady, seconds(90));
}

TEST(FakeClockTest, StepsBelowAMicrosecondAddUp) {
  FakeClock clock;
  const Time before = clock.Now();
  for (int i = 0; i < 2000; ++i) clock.Advance(nanoseconds(1));
  EXPECT_EQ(clock.Now() - before, std::chrono::microseconds(2));
}

TEST(FakeClockTest, WallClockMayJumpWithoutTheSteadyOne) {
  FakeClock clock(*ParseTime("2026-11-29T00:00:00Z"));
  const SteadyTime steady = clock.SteadyNow();
  clock.SetNow(*ParseTime("2020-01-01T00:00:00Z"));
  EXPECT_EQ(FormatTime(clock.Now()), "2020-01-01T00:00:00Z");
  EXPECT_EQ(clock.SteadyNow(), steady);
  clock.SetSteadyNow(steady + seconds(5));
  EXPECT_EQ(clock.SteadyNow(), steady + seconds(5));
}

TEST(FakeIdsTest, CountsUp) {
  FakeIds ids;
  EXPECT_EQ(ids.Uuid(), "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(ids.Uuid(), "00000000-0000-4000-8000-000000000002");
  EXPECT_EQ(ids.Token(4), "00000001");
  EXPECT_EQ(ids.Token(2), "0002");
  EXPECT_EQ(ids.NameSuffix(), "bbbbc");
  EXPECT_EQ(ids.NameSuffix(), "bbbbd");
  for (int i = 3; i < 27; ++i) static_cast<void>(ids.NameSuffix());
  EXPECT_EQ(ids.NameSuffix(), "bbbcb") << "the 27th carries over";
}

TEST(FakeIdsTest, FractionIsWhatTheTestSays) {
  FakeIds ids;
  EXPECT_EQ(ids.Fraction(), 0.5);
  ids.SetFraction(0.25);
  EXPECT_EQ(ids.Fraction(), 0.25);
}

TEST(TempDirTest, IsRemovedWithItsContent) {
  auto dir = std::make_unique<TempDir>();
  const std::string path = dir->path();
  const std::string file = dir->Write("a.txt", "text");
  EXPECT_EQ(file, dir->File("a.txt"));
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  EXPECT_EQ(content.str(), "text");
  dir.reset();
  EXPECT_FALSE(Exists(path));
}

TEST(TempDirTest, EachIsItsOwnAndPrivate) {
  const TempDir first;
  const TempDir second;
  EXPECT_NE(first.path(), second.path());
  struct stat info {};
  ASSERT_EQ(stat(first.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

}  // namespace
}  // namespace asyncops
