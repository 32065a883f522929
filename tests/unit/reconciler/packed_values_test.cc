// Values that take little memory where there is little in them.
#include <gtest/gtest.h>

#include "reconciler/packed_text.h"
#include "reconciler/rarely.h"
#include "reconciler/work_key.h"

namespace asyncops::reconciler {
namespace {

TEST(PackedTextTest, KeepsTextsOfAnyLength) {
  for (const std::size_t size : {0U, 1U, 23U, 254U, 255U, 256U, 70'000U}) {
    std::string text(size, 'a');
    if (size > 0) text.back() = 'z';
    const PackedText packed(text);
    EXPECT_EQ(packed.view(), text) << size;
    EXPECT_EQ(packed.empty(), size == 0) << size;
  }
}

TEST(PackedTextTest, IsAKeyOfAnyName) {
  const WorkKey key{.kind = WorkKey::Kind::kResource,
                    .namespace_name = std::string(63, 'n'),
                    .name = std::string(253, 'o')};
  EXPECT_EQ(PackedKey(key).Unpacked(), key);
}

TEST(RarelyTest, IsItsDefaultUntilItIsMade) {
  Rarely<int> value;
  EXPECT_FALSE(value.is_made());
  EXPECT_EQ(value.get(), 0);
  value.Make() = 3;
  EXPECT_TRUE(value.is_made());
  EXPECT_EQ(value.get(), 3);
  value.Reset();
  EXPECT_FALSE(value.is_made());
}

TEST(RarelyTest, IsAValue) {
  Rarely<int> value;
  value.Make() = 3;
  Rarely<int> copy = value;
  EXPECT_EQ(copy, value);
  copy.Make() = 4;
  EXPECT_EQ(value.get(), 3) << "each has its own";
  copy = value;
  EXPECT_EQ(copy.get(), 3);
  Rarely<int> zero;
  zero.Make() = 0;
  EXPECT_EQ(zero, Rarely<int>()) << "however it came to be";
}

}  // namespace
}  // namespace asyncops::reconciler
