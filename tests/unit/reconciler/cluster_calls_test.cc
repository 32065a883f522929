#include "reconciler/cluster_calls.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPath = "/api/v1/namespaces/team/secrets/s";

class ClusterCallsTest : public testing::Test {
 protected:
  Reason Get() { return calls_.Get(std::string(kPath)).status().reason(); }
  int CallsOf(int tries) {
    const int before = cluster_.calls();
    for (int i = 0; i < tries; ++i) static_cast<void>(Get());
    return cluster_.calls() - before;
  }

  FakeClock clock_;
  FakeCluster cluster_;
  ClusterCalls calls_{cluster_, clock_};
};

TEST_F(ClusterCallsTest, PathsAreThoseOfKubernetes) {
  EXPECT_EQ(ClusterPath("", "secrets", "team", "s"), kPath);
  EXPECT_EQ(ClusterPath("", "events", "team", ""), "/api/v1/namespaces/team/events");
  EXPECT_EQ(ClusterPath("asyncops.dev", "asyncresources", "team", "vol"),
            "/apis/asyncops.dev/v1alpha1/namespaces/team/asyncresources/vol");
}

TEST_F(ClusterCallsTest, OnlyANameStandsInAPath) {
  for (const char* good : {"a", "a.b-c", "0", "x1"}) EXPECT_TRUE(IsObjectName(good)) << good;
  for (const char* bad : {"", ".", "..", "../x", "a/b", "a?b", "A", "a%2fb", "a b"})
    EXPECT_FALSE(IsObjectName(bad)) << bad;
  EXPECT_FALSE(IsObjectName(std::string(254, 'a')));
}

TEST_F(ClusterCallsTest, AMissingObjectIsToldFromAMissingResource) {
  EXPECT_TRUE(IsObjectMissing(ObjectNotFound("secrets", "s"), "s"));
  EXPECT_FALSE(IsObjectMissing(ObjectNotFound("namespaces", "team"), "s"));
  EXPECT_FALSE(IsObjectMissing({Reason::kNotFound, "the server could not find it"}, "s"));
  EXPECT_FALSE(IsObjectMissing({Reason::kForbidden, "no"}, "s"));
}

TEST_F(ClusterCallsTest, VersionsAreNumbersWhereTheyAre) {
  EXPECT_TRUE(IsLaterVersion("10", "9"));
  EXPECT_FALSE(IsLaterVersion("9", "10"));
  EXPECT_FALSE(IsLaterVersion("9", "9"));
  EXPECT_TRUE(IsLaterVersion("x", "9"));
  EXPECT_TRUE(IsLaterVersion("9", ""));
}

TEST_F(ClusterCallsTest, WhatIsAwayIsAskedByOneAtATimeAndLessAndLess) {
  cluster_.SetAway(true);
  EXPECT_EQ(Get(), Reason::kServiceUnavailable);
  EXPECT_EQ(CallsOf(20), 0) << "within a second";
  clock_.Advance(seconds(1));
  EXPECT_EQ(CallsOf(20), 1);
  clock_.Advance(seconds(1));
  EXPECT_EQ(CallsOf(20), 0) << "two seconds now";
  clock_.Advance(seconds(1));
  EXPECT_EQ(CallsOf(20), 1);
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(seconds(8));
    EXPECT_EQ(CallsOf(20), 1) << "eight seconds at most";
  }
}

TEST_F(ClusterCallsTest, WhatIsBackIsAskedAsBefore) {
  cluster_.SetAway(true);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Get(), Reason::kServiceUnavailable);
    clock_.Advance(seconds(8));
  }
  cluster_.SetAway(false);
  EXPECT_EQ(Get(), Reason::kNotFound);
  EXPECT_EQ(CallsOf(20), 20);
  cluster_.SetAway(true);
  EXPECT_EQ(CallsOf(20), 1);
  clock_.Advance(seconds(1));
  EXPECT_EQ(CallsOf(20), 1) << "a second again, not eight";
}

TEST_F(ClusterCallsTest, WhileOneTriesTheOthersDoNotWait) {
  cluster_.SetAway(true);
  EXPECT_EQ(Get(), Reason::kServiceUnavailable);
  clock_.Advance(seconds(1));
  cluster_.SetAway(false);
  int inner = 0;
  cluster_.SetIntercept([this, &inner](const kube::ApiRequest&) -> std::optional<Status> {
    cluster_.SetIntercept(nullptr);
    inner = CallsOf(3);
    return std::nullopt;
  });
  EXPECT_EQ(Get(), Reason::kNotFound);
  EXPECT_EQ(inner, 0);
}

TEST_F(ClusterCallsTest, AnAnswerThatRefusesIsNoAbsence) {
  for (const Reason reason : {Reason::kForbidden, Reason::kConflict, Reason::kInternalError,
                              Reason::kTooManyRequests, Reason::kUnauthorized}) {
    cluster_.SetIntercept(
        [reason](const kube::ApiRequest&) { return std::optional(Status(reason, "no")); });
    EXPECT_EQ(Get(), reason);
    EXPECT_EQ(Get(), reason);
    EXPECT_EQ(CallsOf(3), 3);
  }
}

TEST_F(ClusterCallsTest, OneCallThatTakesTooLongIsItsOwnMatter) {
  const auto slow = [](const kube::ApiRequest&) {
    return std::optional(Status(Reason::kTimeout, "a webhook"));
  };
  for (int i = 0; i < 3; ++i) {
    cluster_.SetIntercept(slow);
    EXPECT_EQ(Get(), Reason::kTimeout);
    cluster_.SetIntercept(nullptr);
    EXPECT_EQ(CallsOf(3), 3);
  }
  cluster_.SetIntercept(slow);
  EXPECT_EQ(CallsOf(5), 2) << "two in a row are kube-apiserver's";
}

TEST_F(ClusterCallsTest, AServerThatAsksForTimeGetsIt) {
  cluster_.SetIntercept([](const kube::ApiRequest&) {
    return std::optional(Status(Reason::kServiceUnavailable, "starting").WithRetryAfter(5));
  });
  EXPECT_EQ(Get(), Reason::kServiceUnavailable);
  clock_.Advance(milliseconds(4900));
  EXPECT_EQ(CallsOf(3), 0);
  clock_.Advance(milliseconds(100));
  EXPECT_EQ(CallsOf(3), 1);
}

TEST_F(ClusterCallsTest, WritesAreOurs) {
  static_cast<void>(
      calls_.Create("/api/v1/namespaces/team/secrets",
                    Json::Of({{"metadata", Json::Of({{"namespace", "team"}, {"name", "s"}})}})));
  const kube::ApiRequest made = cluster_.LastOf("POST");
  EXPECT_EQ(made.target, "/api/v1/namespaces/team/secrets?fieldManager=asyncops-reconciler");
  static_cast<void>(calls_.Patch(std::string(kPath),
                                 Json::Of({{"metadata", Json::Of({{"resourceVersion", "1"}})}})));
  const kube::ApiRequest patch = cluster_.LastOf("PATCH");
  EXPECT_EQ(patch.target, std::string(kPath) + "?fieldManager=asyncops-reconciler");
  EXPECT_EQ(patch.content_type, "application/merge-patch+json");
  EXPECT_LE(patch.timeout, seconds(5)) << "a worker waits for it";
}

}  // namespace
}  // namespace asyncops::reconciler
