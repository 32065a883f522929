#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "reconciler/fault_points.h"

namespace asyncops::reconciler {
namespace {

using Kind = FaultPoint::Kind;

// Notes the points in their order.
class NotingFaultPoints final : public FaultPoints {
 public:
  void Hit(const FaultPoint& point) override { names.push_back(point.Name()); }
  std::vector<std::string> names;
};

// How many times a process passes the point before it dies there; 10 where it lives.
int PassesBeforeDeath(const char* wanted) {
  for (int times = 1; times < 10; ++times) {
    const pid_t child = fork();
    if (child == 0) {
      ExitingFaultPoints faults(wanted);
      for (int i = 0; i < times; ++i) const FaultScope scope(faults, Kind::kWrite, "Intent");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 137) return times - 1;
  }
  return 10;
}

TEST(FaultPointsTest, AScopeHitsBeforeAndAfter) {
  NotingFaultPoints faults;
  { const FaultScope scope(faults, Kind::kCall, "Submit"); }
  EXPECT_EQ(faults.names, (std::vector<std::string>{"BeforeSubmitCall", "AfterSubmitCall"}));
}

TEST(FaultPointsTest, TheProcessDiesAtThePointThatWasNamed) {
  EXPECT_EQ(PassesBeforeDeath("BeforeIntentWrite"), 0);
  EXPECT_EQ(PassesBeforeDeath("AfterIntentWrite"), 0);
  EXPECT_EQ(PassesBeforeDeath("AfterIntentCall"), 10);
}

TEST(FaultPointsTest, ANumberSaysTheHowManiethTimeItIs) {
  EXPECT_EQ(PassesBeforeDeath("BeforeIntentWrite:1"), 0);
  EXPECT_EQ(PassesBeforeDeath("AfterIntentWrite:3"), 2);
  EXPECT_EQ(PassesBeforeDeath("AfterIntentWrite:no"), 0);
}

}  // namespace
}  // namespace asyncops::reconciler
