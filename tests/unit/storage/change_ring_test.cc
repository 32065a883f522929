#include "storage/sqlite/change_ring.h"

#include <gtest/gtest.h>

namespace asyncops::storage {
namespace {

std::shared_ptr<const Change> ChangeAt(Revision revision) {
  auto change = std::make_shared<Change>();
  change->record.key = {.resource = "things", .namespace_name = "team", .name = "a"};
  change->record.revision = revision;
  return change;
}

// Revisions of what came after; -1 where that is not held.
std::vector<Revision> After(const ChangeRing& ring, Revision after) {
  const std::optional<ChangeBatch> batch = ring.Read("things", "", after, 100);
  if (!batch) return {-1};
  std::vector<Revision> revisions;
  for (const auto& change : batch->changes) revisions.push_back(change->record.revision);
  return revisions;
}

TEST(ChangeRingTest, HoldsTheLatestAndSaysWhatItDoesNotHold) {
  ChangeRing ring(10, 2);
  EXPECT_EQ(After(ring, 10), std::vector<Revision>());
  EXPECT_EQ(After(ring, 9), std::vector<Revision>{-1});
  ring.Publish({ChangeAt(11), ChangeAt(12)});
  ring.Publish({ChangeAt(14)});
  EXPECT_EQ(After(ring, 11), (std::vector<Revision>{12, 14}));
  EXPECT_EQ(After(ring, 10), std::vector<Revision>{-1});
  EXPECT_EQ(ring.revision(), 14);
}

TEST(ChangeRingTest, WhatItForgotIsForOthersToRead) {
  ChangeRing ring(10, 100);
  ring.Publish({ChangeAt(11), ChangeAt(12)});
  ring.Forget();
  EXPECT_EQ(ring.revision(), 12) << "it is as new as before";
  EXPECT_EQ(After(ring, 11), std::vector<Revision>{-1});
  EXPECT_EQ(After(ring, 12), std::vector<Revision>());
  ring.Publish({ChangeAt(13)});
  EXPECT_EQ(After(ring, 12), std::vector<Revision>{13});
  EXPECT_EQ(After(ring, 11), std::vector<Revision>{-1});
}

}  // namespace
}  // namespace asyncops::storage
