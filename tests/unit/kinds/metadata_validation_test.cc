// Metadata is judged whether or not the rest of the object, or of the one before it, can be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOtherUid = "metadata: {uid: 22222222-0000-4000-8000-000000000000}";
constexpr std::string_view kUid = "metadata: {uid: 11111111-0000-4000-8000-000000000000}";

Json Without(Json object, std::string_view member) {
  object.as_object().Erase(member);
  return object;
}

TEST(MetadataTest, IsAskedForWhereThereIsNone) {
  EXPECT_THAT(Texts(Create(Without(ValidResource(), "metadata"))),
              ElementsAre(HasSubstr("metadata: Required value")));
}

TEST(MetadataTest, IsComparedWithTheOldOne) {
  EXPECT_THAT(Texts(Update(Patched(ValidResource(), kOtherUid), Patched(ValidResource(), kUid))),
              ElementsAre(HasSubstr("metadata.uid: Invalid value")));
  EXPECT_THAT(Texts(Update(Patched(ValidResource(), kUid), Patched(ValidResource(), kUid))),
              IsEmpty());
}

TEST(MetadataTest, IsComparedWithThatOfAnOldObjectThatDoesNotDecode) {
  const Json old = Patched(Patched(ValidResource(), kUid), "spec: {create: 7}");
  EXPECT_THAT(Texts(Update(Patched(ValidResource(), kOtherUid), old)),
              ElementsAre(HasSubstr("metadata.uid: Invalid value")));
}

TEST(MetadataTest, StandsAloneWhereTheOldObjectHasNone) {
  const Json old = Without(ValidResource(), "metadata");
  EXPECT_THAT(Texts(Update(Patched(ValidResource(), kUid), old)), IsEmpty());
}

TEST(MetadataTest, LetsPassALabelThatWasWrongBefore) {
  const std::string_view wrong = "metadata: {labels: {team: '-a'}}";
  EXPECT_THAT(Texts(Update(Patched(ValidResource(), wrong), Patched(ValidResource(), wrong))),
              IsEmpty());
  EXPECT_THAT(Texts(Update(Patched(ValidResource(), wrong), ValidResource())),
              ElementsAre(HasSubstr("metadata.labels: Invalid value")));
}

}  // namespace
}  // namespace asyncops
