#include "kube/crd_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/fake_api_client.h"

namespace asyncops::kube {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCollection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kFirst = "asyncresources.asyncops.dev";
constexpr const char* kSecond = "externalsystems.asyncops.dev";

class CrdCheckTest : public testing::Test {
 protected:
  CrdCheckTest() {
    Put(kFirst, "7");
    Put(kSecond, "7");
  }
  void Put(const char* name, Json revision, const char* established = "True") {
    Json metadata = Json::Of({{"name", name}});
    if (!revision.is_null())
      metadata.Set("annotations", Json::Of({{"asyncops.dev/crd-revision", std::move(revision)}}));
    const Json condition = Json::Of({{"type", "Established"}, {"status", established}});
    client_.Put(kCollection,
                Json::Of({{"metadata", std::move(metadata)},
                          {"status", Json::Of({{"conditions", JsonArray{condition}}})}}));
  }
  CrdReport Check() {
    return CheckCrds(
        client_,
        {.names = {kFirst, kSecond}, .annotation = "asyncops.dev/crd-revision", .revision = 7});
  }

  FakeApiClient client_;
};

TEST_F(CrdCheckTest, TheSameRevisionIsEqual) {
  const CrdReport report = Check();
  EXPECT_EQ(report.state, CrdState::kEqual);
  EXPECT_EQ(report.message, "");
}

TEST_F(CrdCheckTest, WhatIsNotAsKnownIsNamedWithTheWayOn) {
  struct Row {
    const char* reason;
    Json revision;
    CrdState state;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"older", "6", CrdState::kOlder,
       "has revision 6, and this version of asyncops knows 7; apply"},
      {"newer", "8", CrdState::kNewer, "has revision 8, and this version of asyncops knows 7; run"},
      {"from before there were any", nullptr, CrdState::kOlder, "has no revision"},
      {"no number", "x", CrdState::kOlder, "has no revision"},
      {"no text", 7, CrdState::kOlder, "has no revision"},
  };
  for (const Row& row : rows) {
    Put(kSecond, row.revision);
    const CrdReport report = Check();
    EXPECT_EQ(report.state, row.state) << row.reason;
    EXPECT_THAT(report.message, AllOf(HasSubstr(kSecond), HasSubstr(row.message))) << row.reason;
  }
}

TEST_F(CrdCheckTest, AMissingOneIsWorseThanAnOlderOne) {
  Put(kFirst, "6");
  client_.Remove(kCollection, "", kSecond);
  const CrdReport report = Check();
  EXPECT_EQ(report.state, CrdState::kMissing);
  EXPECT_EQ(report.message,
            "CustomResourceDefinition externalsystems.asyncops.dev is missing; apply the "
            "manifests/crds of this version of asyncops");
}

TEST_F(CrdCheckTest, WhatIsNotEstablishedIsNotThereYet) {
  Put(kFirst, "7", "False");
  const CrdReport report = Check();
  EXPECT_EQ(report.state, CrdState::kMissing);
  EXPECT_THAT(report.message, HasSubstr("is not established"));
}

TEST_F(CrdCheckTest, WhereKubeApiserverDoesNotSayItIsUnknown) {
  client_.SetDown({Reason::kServiceUnavailable, "connection refused"});
  const CrdReport report = Check();
  EXPECT_EQ(report.state, CrdState::kUnknown);
  EXPECT_THAT(report.message, AllOf(HasSubstr(kFirst), HasSubstr("connection refused")));
}

}  // namespace
}  // namespace asyncops::kube
