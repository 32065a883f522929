#include "tests/simcloud/cloud.h"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"

namespace asyncops::simcloud {
namespace {

using std::chrono::seconds;

struct Parts {
  FakeClock clock;
  FakeIds ids;
  Cloud cloud{clock, ids};

  const Operation* Create(const std::string& name, const std::string& correlation_id = "") {
    Origin origin;
    origin.correlation_id = correlation_id;
    return cloud.Create({name, Json(), Json()}, origin, {seconds(2), std::nullopt});
  }
};

TEST(CloudTest, VolumeIsCreatingUntilTheOperationEnds) {
  Parts parts;
  const Operation* operation = parts.Create("a");
  EXPECT_EQ(parts.cloud.FindVolume(operation->volume_id)->status, VolumeStatus::kCreating);
  parts.clock.Advance(seconds(2) - std::chrono::nanoseconds(1));
  EXPECT_EQ(parts.cloud.FindOperation(operation->id)->status, OperationStatus::kRunning);
  EXPECT_EQ(parts.cloud.Progress(*operation), 99);
  parts.clock.Advance(std::chrono::nanoseconds(1));
  EXPECT_EQ(parts.cloud.FindVolume(operation->volume_id)->status, VolumeStatus::kAvailable);
  EXPECT_EQ(operation->status, OperationStatus::kSucceeded);
}

TEST(CloudTest, DeleteWhileCreatingCancelsTheCreation) {
  Parts parts;
  const Operation* creation = parts.Create("a");
  const Operation* deletion =
      parts.cloud.Delete(creation->volume_id, Origin{}, {seconds(1), std::nullopt});
  EXPECT_EQ(creation->status, OperationStatus::kCanceled);
  parts.clock.Advance(seconds(1));
  EXPECT_EQ(parts.cloud.FindOperation(deletion->id)->status, OperationStatus::kSucceeded);
  EXPECT_EQ(parts.cloud.FindVolume(creation->volume_id), nullptr);
  EXPECT_EQ(parts.cloud.deleted(), 1);
}

TEST(CloudTest, DeleteOfAVolumeThatWasToFailCountsNothing) {
  Parts parts;
  const Operation* creation =
      parts.cloud.Create({"a", Json(), Json()}, Origin{}, {seconds(2), Failure{"Quota", "full"}});
  parts.cloud.Delete(creation->volume_id, Origin{}, {Duration{0}, std::nullopt});
  EXPECT_EQ(parts.cloud.FindVolume(creation->volume_id), nullptr);
  EXPECT_EQ(parts.cloud.created(), 0);
  EXPECT_EQ(parts.cloud.deleted(), 0);
}

TEST(CloudTest, CancelOfAnEndedOperationChangesNothing) {
  Parts parts;
  const Operation* creation = parts.Create("a");
  parts.clock.Advance(seconds(2));
  EXPECT_TRUE(parts.cloud.Cancel(creation->id));
  EXPECT_EQ(creation->status, OperationStatus::kSucceeded);
  EXPECT_NE(parts.cloud.FindVolume(creation->volume_id), nullptr);
}

TEST(CloudTest, CancelledDeletionLeavesTheVolume) {
  Parts parts;
  const Operation* creation = parts.Create("a");
  parts.clock.Advance(seconds(2));
  const Operation* deletion =
      parts.cloud.Delete(creation->volume_id, Origin{}, {seconds(2), std::nullopt});
  parts.cloud.Cancel(deletion->id);
  EXPECT_EQ(parts.cloud.FindVolume(creation->volume_id)->status, VolumeStatus::kAvailable);
  EXPECT_EQ(parts.cloud.deleted(), 0);
}

TEST(CloudTest, OperationsThatEndAtOneTimeAllEnd) {
  Parts parts;
  const Operation* first = parts.Create("a");
  const Operation* second = parts.Create("b");
  parts.cloud.Cancel(first->id);
  EXPECT_EQ(parts.cloud.RunningCount(), 1u);
  parts.clock.Advance(seconds(2));
  EXPECT_EQ(parts.cloud.FindOperation(second->id)->status, OperationStatus::kSucceeded);
  EXPECT_EQ(first->status, OperationStatus::kCanceled);
  EXPECT_EQ(parts.cloud.RunningCount(), 0u);
}

TEST(CloudTest, NameMadeAgainAfterItsDeletionIsNoDuplicate) {
  Parts parts;
  const Operation* creation = parts.Create("a", "uid-1");
  parts.cloud.Delete(creation->volume_id, Origin{}, {Duration{0}, std::nullopt});
  parts.cloud.FindVolume(creation->volume_id);
  parts.Create("a", "uid-2");
  EXPECT_EQ(parts.cloud.created(), 2);
  EXPECT_EQ(parts.cloud.DuplicatesByName(), 0);
  EXPECT_EQ(parts.cloud.DuplicatesByCorrelation(), 0);
}

TEST(CloudTest, CorrelationIdThatMadeTwoVolumesIsADuplicateForEver) {
  Parts parts;
  const Operation* creation = parts.Create("a", "uid-1");
  parts.cloud.Delete(creation->volume_id, Origin{}, {Duration{0}, std::nullopt});
  parts.Create("b", "uid-1");
  EXPECT_EQ(parts.cloud.DuplicatesByCorrelation(), 1);
}

}  // namespace
}  // namespace asyncops::simcloud
