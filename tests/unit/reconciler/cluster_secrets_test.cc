#include "reconciler/cluster_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/encoding.h"
#include "reconciler/cluster_secret_reader.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ClusterSecretsTest : public testing::Test {
 protected:
  ClusterSecretsTest() {
    watch_ = secrets_.Watch([this](const ObjectName& name) { told_.push_back(name.name); });
  }

  void Put(const std::string& name, const std::string& value) {
    cluster_.Put(
        "secrets",
        Json::Of(
            {{"metadata", Json::Of({{"name", name}, {"namespace", "team"}, {"uid", "u-" + name}})},
             {"data", Json::Of({{"key", Base64Encode(value)}})}}));
  }
  Result<SecretData> Get(const std::string& name = "s") {
    return secrets_.Get({.namespace_name = "team", .name = name});
  }
  // The value, or the reason why there is none.
  std::string Show(const std::string& name = "s") {
    const Result<SecretData> data = Get(name);
    return data.ok() ? data->at("key") : std::string(ReasonName(data.status().reason()));
  }
  // As the thread does for this long; how many reads that took.
  int Run(Duration time) {
    const SteadyTime end = clock_.SteadyNow() + time;
    const int before = cluster_.calls();
    while (clock_.SteadyNow() < end) {
      const Duration wait = secrets_.ReadNext();
      EXPECT_GE(wait, Duration(1));
      clock_.Advance(std::min<std::chrono::nanoseconds>(wait, end - clock_.SteadyNow()));
    }
    return cluster_.calls() - before;
  }
  void Refuse(Reason reason) {
    cluster_.SetIntercept([reason](const kube::ApiRequest&) {
      return std::optional(Status(reason, "secrets \"s\" is forbidden"));
    });
  }

  FakeClock clock_;
  FakeIds ids_;
  FakeCluster cluster_;
  ClusterCalls calls_{cluster_, clock_};
  ClusterSecrets secrets_{calls_, clock_, ids_};
  std::vector<std::string> told_;
  std::unique_ptr<storage::Subscription> watch_;
};

TEST_F(ClusterSecretsTest, TheFirstReadIsLiveAndTheNextAreNot) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  EXPECT_EQ(Show(), "one");
  EXPECT_EQ(cluster_.calls(), 1);
  EXPECT_EQ(cluster_.LastOf("GET").target, "/api/v1/namespaces/team/secrets/s");
  EXPECT_THAT(told_, IsEmpty()) << "nobody has waited for it";
}

TEST_F(ClusterSecretsTest, AChangeIsSeenWithinHalfAMinuteAndTold) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  Run(seconds(10));
  Put("s", "two");
  Run(seconds(25));
  EXPECT_EQ(Show(), "two");
  EXPECT_THAT(told_, ElementsAre("s"));
}

TEST_F(ClusterSecretsTest, OneThatStaysIsReadTwiceAMinuteAndToldOfNever) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  const int reads = Run(minutes(5));
  EXPECT_GE(reads, 8);
  EXPECT_LE(reads, 11);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(ClusterSecretsTest, OneThatAppearsWakesWhatWaits) {
  EXPECT_EQ(Show(), "NotFound");
  EXPECT_EQ(Show(), "NotFound");
  EXPECT_EQ(cluster_.calls(), 1);
  Run(seconds(12));
  Put("s", "one");
  Run(seconds(5));
  EXPECT_THAT(told_, ElementsAre("s")) << "looked for every 5 s at first";
  EXPECT_EQ(Show(), "one");
}

TEST_F(ClusterSecretsTest, OneThatStaysAwayIsLookedForLessOften) {
  EXPECT_EQ(Show(), "NotFound");
  EXPECT_GE(Run(minutes(1)), 11);
  const int reads = Run(minutes(5));
  EXPECT_GE(reads, 8);
  EXPECT_LE(reads, 12);
}

TEST_F(ClusterSecretsTest, OneThatGoesIsGone) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  cluster_.Remove("secrets", "s");
  Run(seconds(35));
  EXPECT_EQ(Show(), "NotFound");
  EXPECT_THAT(told_, ElementsAre("s"));
  Put("s", "again");
  Run(seconds(6));
  EXPECT_EQ(Show(), "again") << "it is newly missing";
  EXPECT_THAT(told_, ElementsAre("s", "s"));
}

TEST_F(ClusterSecretsTest, OneThatGoesIsKeptForWhatIsBeingDeleted) {
  const ObjectName name{.namespace_name = "team", .name = "s"};
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  cluster_.Remove("secrets", "s");
  Run(minutes(90));
  EXPECT_EQ(Show(), "NotFound");
  EXPECT_EQ(secrets_.GetLast(name)->at("key"), "one") << "what is outside is still to be deleted";
  Put("s", "two");
  Run(seconds(35));
  EXPECT_EQ(secrets_.GetLast(name)->at("key"), "two");
}

TEST_F(ClusterSecretsTest, TheLastValueStaysWhileNobodyAnswers) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  for (const Reason reason : {Reason::kServiceUnavailable, Reason::kTooManyRequests,
                              Reason::kInternalError, Reason::kTimeout, Reason::kUnauthorized}) {
    Refuse(reason);
    Run(minutes(3));
    EXPECT_EQ(Show(), "one") << ReasonName(reason);
  }
  // A 404 that names no Secret is a server that does not know what one is.
  Refuse(Reason::kNotFound);
  Run(minutes(3));
  EXPECT_EQ(Show(), "one");
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(ClusterSecretsTest, NothingIsForgottenWhileItCouldNotBeHadAgain) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  cluster_.SetAway(true);
  Run(minutes(200));
  EXPECT_EQ(Show(), "one");
}

TEST_F(ClusterSecretsTest, AFirstReadThatFailsSaysSoAndWakesWhatWaitsLater) {
  Put("s", "one");
  cluster_.SetAway(true);
  EXPECT_EQ(Show(), "ServiceUnavailable");
  EXPECT_THAT(Get().status().message(), HasSubstr("team/s"));
  cluster_.SetAway(false);
  Run(seconds(12));
  EXPECT_THAT(told_, ElementsAre("s"));
  EXPECT_EQ(Show(), "one");
}

TEST_F(ClusterSecretsTest, AMissingRightIsForbiddenAndNamesTheRule) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  Refuse(Reason::kForbidden);
  Run(seconds(35));
  EXPECT_EQ(Show(), "Forbidden") << "what was taken from us is not used on";
  EXPECT_THAT(Get().status().message(), HasSubstr("\"get\" on secrets in namespace \"team\""));
  const int before = cluster_.calls();
  EXPECT_EQ(Show(), "Forbidden");
  EXPECT_EQ(cluster_.calls(), before);
  cluster_.SetIntercept(nullptr);
  Run(seconds(6));
  EXPECT_EQ(Show(), "one");
  EXPECT_THAT(told_, ElementsAre("s", "s"));
}

TEST_F(ClusterSecretsTest, WhatIsAskedForSeldomIsReadSeldomAndThenForgotten) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  Run(minutes(10));
  EXPECT_LE(Run(minutes(20)), 5) << "every five minutes";
  Put("s", "two");
  Run(minutes(6));
  EXPECT_EQ(Show(), "two") << "an operation may wait for an hour";
  EXPECT_GE(Run(minutes(5)), 8) << "it is in use again";
  Run(minutes(65));
  EXPECT_EQ(Run(minutes(30)), 0);
  EXPECT_EQ(Show(), "two");
}

TEST_F(ClusterSecretsTest, ManyAreReadTenASecondAtMost) {
  for (int i = 0; i < 600; ++i) {
    const std::string name = "s" + std::to_string(i);
    Put(name, "x");
    EXPECT_EQ(Show(name), "x");
  }
  Run(seconds(30));
  const int reads = Run(seconds(60));
  EXPECT_LE(reads, 600);
  EXPECT_GE(reads, 590) << "each has its turn";
}

TEST_F(ClusterSecretsTest, OurOwnWriteIsSeenAtOnce) {
  EXPECT_EQ(Show(), "NotFound");
  Put("s", "one");
  secrets_.Note({.namespace_name = "team", .name = "s"}, cluster_.Find("secrets", "s"));
  EXPECT_EQ(Show(), "one");
  EXPECT_EQ(cluster_.calls(), 1);
  EXPECT_THAT(told_, ElementsAre("s"));
}

TEST_F(ClusterSecretsTest, AnAnswerThatIsOlderThanOurOwnWriteIsNotTaken) {
  Put("s", "one");
  const Json old = cluster_.Find("secrets", "s");
  EXPECT_EQ(Show(), "one");
  Put("s", "two");
  // Ours comes in while the read again is under way.
  cluster_.SetIntercept([this](const kube::ApiRequest&) -> std::optional<Status> {
    cluster_.SetIntercept(nullptr);
    secrets_.Note({.namespace_name = "team", .name = "s"}, cluster_.Find("secrets", "s"));
    cluster_.Remove("secrets", "s");
    return std::nullopt;
  });
  Run(seconds(34));
  EXPECT_EQ(Show(), "two") << "the 404 was on its way, and is looked at again";
  secrets_.Note({.namespace_name = "team", .name = "s"}, old);
  EXPECT_EQ(Show(), "two");
  Run(seconds(40));
  EXPECT_EQ(Show(), "NotFound");
}

TEST_F(ClusterSecretsTest, WhatIsNoNameIsNotAskedFor) {
  EXPECT_EQ(Show("../../nodes/x"), "NotFound");
  EXPECT_EQ(Show(""), "NotFound");
  EXPECT_EQ(cluster_.calls(), 0);
}

TEST_F(ClusterSecretsTest, DataThatIsNoBase64IsLeftOut) {
  cluster_.Put(
      "secrets",
      Json::Of({{"metadata", Json::Of({{"name", "s"}, {"namespace", "team"}})},
                {"data", Json::Of({{"key", Base64Encode("v")}, {"odd", "%"}, {"n", 1}})}}));
  const Result<SecretData> data = Get();
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(*data, (SecretData{{"key", "v"}}));
}

TEST_F(ClusterSecretsTest, AWatchTellsWhatIsKnownAndEndsWithItsToken) {
  Put("s", "one");
  EXPECT_EQ(Show(), "one");
  std::vector<std::string> second;
  auto other = secrets_.Watch([&second](const ObjectName& name) { second.push_back(name.name); });
  EXPECT_THAT(second, ElementsAre("s"));
  other.reset();
  Put("s", "two");
  Run(seconds(40));
  EXPECT_THAT(second, ElementsAre("s"));
  EXPECT_THAT(told_, ElementsAre("s"));
}

TEST_F(ClusterSecretsTest, TheThreadReadsWhatIsDueAndEndsAtOnce) {
  const SystemClock real;
  EXPECT_EQ(Show(), "NotFound");
  clock_.Advance(seconds(6));
  const SteadyTime begun = real.SteadyNow();
  {
    ClusterSecretReader reader(secrets_);
    while (cluster_.calls() < 2 && real.SteadyNow() - begun < seconds(30))
      std::this_thread::yield();
  }
  EXPECT_EQ(cluster_.calls(), 2);
  EXPECT_LT(real.SteadyNow() - begun, seconds(1));
}

}  // namespace
}  // namespace asyncops::reconciler
