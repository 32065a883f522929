#include "api/subresources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops {
namespace {

using testing::ElementsAre;

std::vector<std::string> Names(const ResourceInfo& resource) {
  std::vector<std::string> names;
  for (const SubresourceInfo& subresource : SubresourcesOf(resource))
    names.push_back(subresource.name);
  return names;
}

TEST(SubresourcesTest, AreThoseOfTheDocument) {
  EXPECT_THAT(Names(*FindResource("operations.asyncops.dev", "asyncoperations")),
              ElementsAre("cancel", "history", "resolve", "retry", "status"));
  EXPECT_THAT(Names(*FindResource("asyncops.dev", "asyncresources")), ElementsAre("status"));
  EXPECT_THAT(Names(*FindResource("", "secrets")), testing::IsEmpty());
  EXPECT_THAT(Names(OperationOwners()), ElementsAre("asyncoperations"));
}

TEST(SubresourcesTest, EachHasVerbsAndAllButTheStatusAKindOfItsOwn) {
  for (const ResourceInfo& resource : ServedResources()) {
    for (const SubresourceInfo& subresource : SubresourcesOf(resource)) {
      EXPECT_FALSE(subresource.verbs.empty()) << subresource.name;
      EXPECT_EQ(subresource.kind.empty(), subresource.name == "status") << subresource.name;
      EXPECT_EQ(subresource.description.empty(), subresource.name == "status") << subresource.name;
      EXPECT_EQ(FindSubresource(resource, subresource.name), &subresource);
    }
    EXPECT_EQ(FindSubresource(resource, ""), nullptr);
  }
}

TEST(SubresourcesTest, OwnersOfOperationsHaveNoObjectsHere) {
  EXPECT_TRUE(HasOnlySubresources(OperationOwners()));
  EXPECT_EQ(OperationOwners().GroupVersion(), "operations.asyncops.dev/v1alpha1");
  EXPECT_EQ(FindResource(OperationOwners().group, OperationOwners().plural), nullptr);
  for (const ResourceInfo& resource : AllResources())
    EXPECT_FALSE(HasOnlySubresources(resource)) << resource.plural;
  EXPECT_EQ(ServedResources().size(), AllResources().size() + 1);
}

}  // namespace
}  // namespace asyncops
