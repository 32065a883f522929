#include "api/schema/place.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

TEST(PlaceTest, PathIsTheOneOfFieldErrors) {
  const Place whole;
  EXPECT_EQ(whole.Path(), "");
  const Place spec(whole, "spec");
  EXPECT_EQ(spec.Path(), "spec");
  const Place list(spec, "acceptors");
  const Place item(list, 1);
  EXPECT_EQ(Place(item, "when").Path(), "spec.acceptors[1].when");
  EXPECT_EQ(Place(spec, "a.b/c").Path(), "spec[a.b/c]") << "a name with a dot is a key";
  EXPECT_EQ(Place(whole, 0).Path(), "[0]") << "the whole may be a list";
  EXPECT_EQ(list.Path(), "spec.acceptors") << "an inner place changes no outer one";
}

}  // namespace
}  // namespace asyncops
