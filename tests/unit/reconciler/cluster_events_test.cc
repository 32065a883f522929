#include "reconciler/cluster_events.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/mutex.h"
#include "reconciler/event_drainer.h"
#include "reconciler/events.h"
#include "storage/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/reconciler/fake_cluster.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// A test fails, rather than hangs, after this long.
constexpr seconds kPatience{30};

class ClusterEventsTest : public testing::Test {
 protected:
  ClusterEventsTest() {
    Result<std::unique_ptr<storage::Store>> opened =
        storage::OpenSqliteStore({.path = directory_.File("store.db"), .vfs = ""}, clock_);
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
    sink_ = MakeClusterEventSink(cluster_);
  }

  static core::ObjectReference About(const std::string& namespace_name) {
    core::ObjectReference object;
    object.api_version = "asyncops.dev/v1alpha1";
    object.kind = "AsyncResource";
    object.namespace_name = namespace_name;
    object.name = "vol";
    object.uid = "u-1";
    return object;
  }
  void Send(const std::string& reason, const std::string& namespace_name = "team") {
    const storage::OutboxMessage message =
        MakeEventMessage(About(namespace_name), {.warning = true, .reason = reason, .message = "m"},
                         "1", clock_.Now());
    const Status sent = storage::WriteAndWait(
        *store_, [message](storage::Transaction& tx) { return tx.mailbox().Send(message); });
    EXPECT_TRUE(sent.ok());
  }
  std::size_t Waiting() const { return store_->engine().Outbox(100)->size(); }
  EventRound Deliver(int limit = 100) { return DeliverEventsTo(*sink_, *store_, faults_, limit); }
  std::vector<std::string> Reasons() const {
    // Versions have as many digits each.
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [key, event] : cluster_.All("events")) {
      found.emplace_back(event.StringAt({"metadata", "resourceVersion"}),
                         event.StringAt({"reason"}));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> reasons;
    for (auto& [version, reason] : found) reasons.push_back(std::move(reason));
    return reasons;
  }
  // Refuses what has this in it.
  void Refuse(std::string_view part, const Status& status) {
    cluster_.SetIntercept([part = std::string(part),
                           status](const kube::ApiRequest& request) -> std::optional<Status> {
      if (request.body.find(part) == std::string::npos) return std::nullopt;
      return status;
    });
  }

  FakeClock clock_;
  const TempDir directory_;
  std::unique_ptr<storage::Store> store_;
  FakeCluster cluster_;
  FaultPoints faults_;
  std::unique_ptr<EventSink> sink_;
};

TEST_F(ClusterEventsTest, AnEventIsMadeInItsNamespaceAsOurs) {
  Send("Submitted");
  const EventRound round = Deliver();
  EXPECT_EQ(round.done, 1);
  EXPECT_TRUE(round.failed.ok());
  EXPECT_EQ(Waiting(), 0U);
  const kube::ApiRequest post = cluster_.LastOf("POST");
  EXPECT_EQ(post.target, "/api/v1/namespaces/team/events?fieldManager=asyncops-reconciler");
  const Json event = *ParseJson(post.body);
  EXPECT_EQ(event.StringAt({"apiVersion"}), "v1");
  EXPECT_EQ(event.StringAt({"kind"}), "Event");
  EXPECT_EQ(event.StringAt({"involvedObject", "name"}), "vol");
  EXPECT_EQ(event.StringAt({"type"}), "Warning");
  EXPECT_EQ(event.FindPath({"metadata", "uid"}), nullptr) << "the server's to give";
}

TEST_F(ClusterEventsTest, OneThatIsThereAlreadyIsDelivered) {
  Send("Submitted");
  ASSERT_EQ(Deliver().done, 1);
  Send("Submitted");
  EXPECT_EQ(Deliver().done, 1);
  EXPECT_EQ(Waiting(), 0U);
  EXPECT_THAT(Reasons(), ElementsAre("Submitted"));
}

TEST_F(ClusterEventsTest, WhatCanNeverBeDeliveredHoldsUpNothing) {
  StatusDetails ending;
  ending.causes.push_back({.reason = "NamespaceTerminating", .message = "", .field = ""});
  for (const Status& refusal :
       {Status(Reason::kNotFound, "namespaces \"team\" not found"), Status(Reason::kInvalid, "no"),
        Status(Reason::kForbidden, "").WithDetails(ending)}) {
    Send("Lost");
    Send("Kept" + std::to_string(cluster_.calls()));
    const std::size_t before = Reasons().size();
    Refuse("Lost", refusal);
    const EventRound round = Deliver();
    EXPECT_EQ(round.done, 2) << refusal.ToString();
    EXPECT_TRUE(round.failed.ok());
    EXPECT_EQ(Waiting(), 0U);
    EXPECT_EQ(Reasons().size(), before + 1);
  }
}

TEST_F(ClusterEventsTest, WhatFailsWaitsAndWhatFollowsWaitsBehindIt) {
  for (const Reason reason :
       {Reason::kServiceUnavailable, Reason::kInternalError, Reason::kTooManyRequests,
        Reason::kUnauthorized, Reason::kForbidden, Reason::kTimeout}) {
    SCOPED_TRACE(ReasonName(reason));
    Send("Before" + std::to_string(static_cast<int>(reason)));
    const std::string after = "After" + std::string(ReasonName(reason));
    Send("Held");
    Send(after);
    Refuse("Held", Status(reason, "not now"));
    const EventRound round = Deliver();
    EXPECT_EQ(round.done, 1);
    EXPECT_EQ(round.failed.reason(), reason);
    EXPECT_EQ(Waiting(), 2U);
    cluster_.SetIntercept(nullptr);
    EXPECT_EQ(Deliver().done, 2);
    EXPECT_EQ(Reasons().back(), after);
  }
}

TEST_F(ClusterEventsTest, AMissingRightIsSaid) {
  Send("Submitted");
  Refuse("Submitted", Status(Reason::kForbidden, "events is forbidden"));
  EXPECT_THAT(Deliver().failed.message(), HasSubstr("\"create\" on events"));
  EXPECT_EQ(Waiting(), 1U) << "somebody grants it";
}

TEST_F(ClusterEventsTest, ARoundTakesNoMoreThanItMay) {
  for (int i = 0; i < 7; ++i) Send("R" + std::to_string(i));
  EXPECT_EQ(Deliver(5).done, 5);
  EXPECT_THAT(Reasons(), ElementsAre("R0", "R1", "R2", "R3", "R4")) << "oldest first";
  EXPECT_EQ(Waiting(), 2U);
}

TEST_F(ClusterEventsTest, ADamagedMessageIsDropped) {
  const Status sent = storage::WriteAndWait(*store_, [this](storage::Transaction& tx) {
    return tx.mailbox().Send(
        {.kind = "event", .dedup_name = "x", .payload = "{", .created_at = clock_.Now()});
  });
  ASSERT_TRUE(sent.ok());
  Send("Submitted");
  EXPECT_EQ(Deliver().done, 2);
  EXPECT_THAT(Reasons(), ElementsAre("Submitted"));
}

// Counts deliveries, and fails the first ones.
class CountingSink final : public EventSink {
 public:
  explicit CountingSink(int failures) : failures_(failures) {}
  Result<bool> Deliver(const Json& /*event*/) override {
    const MutexLock lock(mutex_);
    ++tries_;
    changed_.NotifyAll();
    if (failures_ > 0 && failures_-- > 0) return Status(Reason::kServiceUnavailable, "away");
    ++delivered_;
    return true;
  }
  bool Await(int delivered) {
    const MutexLock lock(mutex_);
    while (delivered_ < delivered) {
      if (!changed_.WaitFor(mutex_, kPatience)) return delivered_ >= delivered;
    }
    return true;
  }
  int tries() {
    const MutexLock lock(mutex_);
    return tries_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int failures_ ASYNCOPS_GUARDED_BY(mutex_);
  int tries_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
  int delivered_ ASYNCOPS_GUARDED_BY(mutex_) = 0;
};

TEST_F(ClusterEventsTest, TheDrainerTriesAgainAfterAPause) {
  const SystemClock real;
  CountingSink sink(1);
  Send("Submitted");
  const SteadyTime begun = real.SteadyNow();
  EventDrainer drainer(*store_, faults_, &sink);
  ASSERT_TRUE(sink.Await(1));
  EXPECT_GE(real.SteadyNow() - begun, milliseconds(950));
  EXPECT_EQ(sink.tries(), 2);
}

TEST_F(ClusterEventsTest, TheDrainerIsNoFasterThanItMay) {
  const SystemClock real;
  CountingSink sink(0);
  for (int i = 0; i < 16; ++i) Send("R" + std::to_string(i));
  const SteadyTime begun = real.SteadyNow();
  EventDrainer drainer(*store_, faults_, &sink);
  ASSERT_TRUE(sink.Await(16));
  EXPECT_GE(real.SteadyNow() - begun, milliseconds(570)) << "five, a pause, and so on";
}

TEST_F(ClusterEventsTest, TheDrainerEndsWithinItsPause) {
  const SystemClock real;
  CountingSink sink(1000000);
  Send("Submitted");
  SteadyTime begun;
  {
    EventDrainer drainer(*store_, faults_, &sink);
    while (sink.tries() == 0) std::this_thread::yield();
    begun = real.SteadyNow();
  }
  EXPECT_LT(real.SteadyNow() - begun, milliseconds(900));
  EXPECT_EQ(Waiting(), 1U) << "it is delivered after the next start";
}

}  // namespace
}  // namespace asyncops::reconciler
