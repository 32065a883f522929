// Who is believed, what is answered, and which operation it is for.
#include "reconciler/callback_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/unit/reconciler/callback_world.h"

namespace asyncops::reconciler {
namespace {

using callbacks::Answer;
using callbacks::Message;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSystemPath = "/callbacks/team/systems/cloud";
constexpr const char* kCorrelated =
    "{scheme: GitHub, secretRefs: [{name: hook, key: k}], correlate: /operation}";

std::string About(const std::string& id) { return R"({"operation":")" + id + "\"}"; }

CallbackDeclaration Correlated() { return {.system = kCorrelated, .operation = ""}; }

TEST(CallbackIntakeTest, AnswersByWhatItGets) {
  CallbackWorld world;
  world.Submit();
  const std::string path = world.CalledPath();
  std::string forged = path;
  char& first = forged[forged.rfind('/') + 1];
  first = first == 'A' ? 'B' : 'A';
  const Message broken = world.Signed("{");
  Message changed = world.Signed("{}");
  changed.body = "{ }";
  EXPECT_EQ(world.Post(forged, world.Signed("{}")), Answer::kUnknown);
  EXPECT_EQ(world.Post(path, changed), Answer::kRefused);
  EXPECT_EQ(world.Post(path, {.headers = {}, .body = "{}"}), Answer::kRefused);
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d1", "another secret")), Answer::kRefused);
  EXPECT_EQ(world.Post(path, broken), Answer::kMalformed);
  EXPECT_THAT(world.looks, IsEmpty());
  EXPECT_THAT(world.asked, IsEmpty());
  EXPECT_EQ(world.engine.Row("op").hints, 0);
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d1")), Answer::kStored);
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d1")), Answer::kDuplicate);
  EXPECT_EQ(world.engine.Row("op").hints, 1) << "the second delivery of one message";
  const CallbackMetrics& metrics = world.engine.callback_metrics;
  EXPECT_EQ(metrics.CountOf("", "unknown"), 1);
  EXPECT_EQ(metrics.CountOf("GitHub", "mismatch"), 2);
  EXPECT_EQ(metrics.CountOf("GitHub", "absent"), 1);
  EXPECT_EQ(metrics.CountOf("GitHub", "malformed"), 1);
  EXPECT_EQ(metrics.CountOf("GitHub", "stored"), 1);
  EXPECT_EQ(metrics.CountOf("GitHub", "duplicate"), 1);
}

TEST(CallbackIntakeTest, FinishedOperationIsGone) {
  CallbackWorld world;
  world.Submit();
  const std::string path = world.CalledPath();
  world.poll_body = R"({"status":"done","volume":"v-1"})";
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d1")), Answer::kStored);
  world.engine.Settle();
  ASSERT_EQ(world.engine.Operation("op").state, "Succeeded");
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d2")), Answer::kFinished);
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d2", "another secret")), Answer::kRefused)
      << "who does not sign is told nothing";
  world.engine.Delete("asyncoperations", "op");
  world.engine.Settle();
  EXPECT_EQ(world.Post(path, world.Signed("{}", "d3")), Answer::kFinished);
}

TEST(CallbackIntakeTest, UrlOfAnEarlierSubmissionIsFinished) {
  CallbackWorld world;
  world.Submit();
  const std::string first = world.CalledPath();
  world.poll_body = R"({"status":"failed","code":"Busy"})";
  world.engine.Pass(std::chrono::minutes(1), std::chrono::seconds(5));
  ASSERT_EQ(world.engine.Operation("op").state, "Failed");
  world.engine.Annotate("asyncoperations", "op", "asyncops.dev/retry-requested-at", "now");
  world.poll_body = R"({"status":"running"})";
  world.engine.Settle();
  ASSERT_EQ(world.engine.Row("op").submission, 2);
  EXPECT_NE(world.CalledPath(), first);
  EXPECT_EQ(world.Post(first, world.Signed("{}", "d1")), Answer::kFinished);
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}", "d1")), Answer::kStored);
}

TEST(CallbackIntakeTest, UrlIsEnoughWhereTheSystemDoesNotSign) {
  for (const char* system : {"", "{scheme: Token}"}) {
    CallbackWorld world({.system = system});
    world.Submit();
    EXPECT_EQ(world.Post(world.CalledPath(), {.headers = {}, .body = "done!"}), Answer::kStored);
    EXPECT_EQ(world.Post(kSystemPath, {.headers = {}, .body = "done!"}), Answer::kRefused);
  }
}

TEST(CallbackIntakeTest, SameBytesWithoutANameAskForAnotherPoll) {
  CallbackWorld world({.system = ""});
  world.Submit();
  const Message ping{.headers = {}, .body = ""};
  EXPECT_EQ(world.Post(world.CalledPath(), ping), Answer::kStored);
  EXPECT_EQ(world.Post(world.CalledPath(), ping), Answer::kDuplicate);
  EXPECT_EQ(world.engine.Row("op").hints, 2);
  world.engine.Settle();
  EXPECT_EQ(world.polls, 1) << "both are answered by one poll";
}

TEST(CallbackIntakeTest, EitherSecretOfARotationIsGood) {
  CallbackWorld world({.system = "{scheme: GitHub, secretRefs: [{name: gone, key: k}, {name: hook, "
                                 "key: none}, {name: hook, key: k}]}"});
  world.Submit();
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}")), Answer::kStored);
}

TEST(CallbackIntakeTest, SystemWhoseSecretIsMissingRefusesAndSaysWhy) {
  CallbackWorld world({.system = "{scheme: GitHub, secretRefs: [{name: gone, key: k}]}"});
  world.Submit();
  EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}", "d1", "")), Answer::kRefused);
  world.engine.Settle();
  EXPECT_THAT(world.engine.Events("ExternalSystem", "cloud"), Contains("CallbackRejected"));
}

TEST(CallbackIntakeTest, RefusalsAreToldOnceAMinute) {
  CallbackWorld world;
  world.Submit();
  const auto forge = [&world] {
    EXPECT_EQ(world.Post(world.CalledPath(), world.Signed("{}", "d", "forged")), Answer::kRefused);
  };
  for (int i = 0; i < 50; ++i) forge();
  world.engine.Settle();
  EXPECT_EQ(world.engine.Events("ExternalSystem", "cloud").size(), 1U);
  world.engine.clock.Advance(std::chrono::seconds(61));
  forge();
  forge();
  world.engine.Settle();
  EXPECT_EQ(world.engine.Events("ExternalSystem", "cloud").size(), 2U);
  EXPECT_EQ(world.engine.callback_metrics.CountOf("GitHub", "mismatch"), 52);
}

TEST(CallbackIntakeTest, SystemsUrlFindsTheOperationByItsId) {
  CallbackWorld world(Correlated());
  world.Submit();
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-1"))), Answer::kStored);
  EXPECT_THAT(world.asked, Contains(ObjectName{"team", "op"}));
  world.engine.Settle();
  EXPECT_EQ(world.polls, 1);
}

TEST(CallbackIntakeTest, NumberIsAnIdToo) {
  CallbackWorld world(Correlated());
  world.submit_answer = Answered(202, R"({"id":12345})");
  world.CreateOperation();
  world.engine.Settle();
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(R"({"operation":12345})")), Answer::kStored);
  EXPECT_EQ(world.engine.Row("op").hints, 1);
}

TEST(CallbackIntakeTest, UnknownSystemAndBadSignatureAreRefusedAlike) {
  CallbackWorld world(Correlated());
  world.Submit();
  EXPECT_EQ(world.Post("/callbacks/team/systems/other", world.Signed(About("op-1"))),
            Answer::kRefused);
  EXPECT_EQ(world.Post("/callbacks/other/systems/cloud", world.Signed(About("op-1"))),
            Answer::kRefused);
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-1"), "d", "forged")), Answer::kRefused);
  EXPECT_EQ(world.engine.Row("op").hints, 0);
  world.engine.Settle();
  EXPECT_THAT(world.engine.Events("ExternalSystem", "other"), IsEmpty());
}

TEST(CallbackIntakeTest, EventOfNothingIsTakenAndForgotten) {
  CallbackWorld world(Correlated());
  world.Submit();
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(R"({"zen":"ping"})")), Answer::kDuplicate);
  EXPECT_EQ(world.Post(kSystemPath, world.Signed("", "d2")), Answer::kDuplicate);
  EXPECT_THAT(world.looks, IsEmpty());
  EXPECT_THAT(world.asked, IsEmpty());
}

TEST(CallbackIntakeTest, FinishedOperationDoesNotEndTheWebhookOfItsSystem) {
  CallbackWorld world(Correlated());
  world.Submit();
  world.poll_body = R"({"status":"done","volume":"v-1"})";
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-1"), "d1")), Answer::kStored);
  world.engine.Settle();
  ASSERT_EQ(world.engine.Operation("op").state, "Succeeded");
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-1"), "d2")), Answer::kDuplicate);
}

TEST(CallbackIntakeTest, OperationOfAnotherSystemWithTheSameIdIsNotMeant) {
  CallbackWorld world(Correlated());
  world.engine.Create(R"(
kind: ExternalSystem
apiVersion: asyncops.dev/v1alpha1
metadata: {name: second}
spec:
  endpoint: http://second.example/v1
  callback: {scheme: GitHub, secretRefs: [{name: hook, key: k}], correlate: /operation}
)");
  world.Submit();
  EXPECT_EQ(world.Post("/callbacks/team/systems/second", world.Signed(About("op-1"))),
            Answer::kStored)
      << "it waits for an operation of that system";
  EXPECT_EQ(world.engine.Row("op").hints, 0);
  EXPECT_THAT(world.looks, IsEmpty());
  EXPECT_THAT(world.asked, IsEmpty());
}

TEST(CallbackIntakeTest, EarlyArrivalIsMatchedWhenTheIdIsRecorded) {
  CallbackWorld world(Correlated());
  Answer early = Answer::kUnavailable;
  world.engine.transport.Handle([&world, &early](const kube::OutboundRequest& request) {
    if (request.method != "POST") {
      ++world.polls;
      return Answered(200, R"({"status":"done","volume":"v-1"})");
    }
    early = world.Post(kSystemPath, world.Signed(About("op-1")));
    return Answered(202, R"({"id":"op-1"})");
  });
  world.CreateOperation();
  world.engine.Settle();
  EXPECT_EQ(early, Answer::kStored);
  EXPECT_EQ(world.polls, 1);
  EXPECT_EQ(world.engine.Operation("op").state, "Succeeded");
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-1"))), Answer::kDuplicate);
}

TEST(CallbackIntakeTest, EarlyArrivalIsMatchedAlsoWhenTheOperationIsAdopted) {
  CallbackWorld world(Correlated());
  world.engine.Edit("externalsystems", "cloud",
                    [](Json* object) { object->ObjectAt("spec").Erase("idempotency"); });
  world.submit_answer = Ambiguous();
  world.CreateOperation();
  world.engine.Settle();
  ASSERT_EQ(world.engine.Operation("op").state, "OutcomeUnknown");
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-9"))), Answer::kStored);
  world.engine.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Adopt:op-9");
  world.engine.Settle();
  EXPECT_EQ(world.engine.Row("op").operation_id, "op-9");
  EXPECT_EQ(world.engine.Row("op").hints, 1);
  EXPECT_EQ(world.polls, 1);
}

TEST(CallbackIntakeTest, InboxOfASystemHasABound) {
  CallbackWorld world(Correlated());
  for (int i = 0; i < CallbackIntake::kMaxWaiting; ++i) {
    const std::string id = "later-" + std::to_string(i);
    ASSERT_EQ(world.Post(kSystemPath, world.Signed(About(id), id)), Answer::kStored);
  }
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("one-more"), "more")), Answer::kFull);
  world.Submit();
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("op-1"), "known")), Answer::kStored)
      << "those of known operations do not wait";
  world.engine.clock.Advance(CallbackIntake::kWaitsFor + std::chrono::seconds(1));
  for (int i = 0; i < 64; ++i)
    (void)world.Post(kSystemPath, world.Signed(About("op-1"), "again-" + std::to_string(i)));
  EXPECT_EQ(world.Post(kSystemPath, world.Signed(About("one-more"), "more")), Answer::kStored)
      << "the old ones are purged";
}

TEST(CallbackIntakeTest, FullSystemIsEmptiedByEventsOfNobodyToo) {
  CallbackWorld world(Correlated());
  const auto tell = [&world](const std::string& id) {
    return world.Post(kSystemPath, world.Signed(About(id), id));
  };
  for (int i = 0; i < CallbackIntake::kMaxWaiting; ++i)
    ASSERT_EQ(tell("later-" + std::to_string(i)), Answer::kStored);
  ASSERT_EQ(tell("one-more"), Answer::kFull);
  world.engine.clock.Advance(CallbackIntake::kWaitsFor + std::chrono::seconds(1));
  int refused = 0;
  while (refused < 200 && tell("new") == Answer::kFull) ++refused;
  EXPECT_LT(refused, 64) << "it is purged though nothing is taken meanwhile";
}

TEST(CallbackIntakeTest, FullInboxTakesNothingUntilTheOldGo) {
  CallbackWorld world;
  world.max_messages = 100;
  world.Restart();
  world.Submit();
  const std::string path = world.CalledPath();
  int told = 0;
  const auto tell = [&world, &path, &told] {
    return world.Post(path, world.Signed("{}", std::to_string(++told)));
  };
  int stored = 0;
  for (int i = 0; i < 400; ++i) stored += tell() == Answer::kStored ? 1 : 0;
  EXPECT_GE(stored, 100);
  EXPECT_LT(stored, 100 + 64) << "every delivery knows that it is full";
  EXPECT_EQ(world.engine.callback_metrics.CountOf("GitHub", "full"), 400 - stored);
  EXPECT_EQ(world.engine.Row("op").hints, stored);
  world.engine.clock.Advance(CallbackIntake::kKnownFor + std::chrono::seconds(1));
  int refused = 0;
  while (refused < 200 && tell() == Answer::kFull) ++refused;
  EXPECT_LT(refused, 64);
  EXPECT_EQ(tell(), Answer::kStored);
}

class CallbackBatchTest : public testing::Test {
 protected:
  static std::string Event(const std::string& id, const std::string& subject) {
    return R"({"specversion":"1.0","source":"/s","type":"t","id":")" + id + R"(","subject":")" +
           subject + "\"}";
  }
  Answer Tell(const std::string& events) {
    Message batch = CallbackWorld::Signed("[" + events + "]");
    batch.headers[0].second = "application/cloudevents-batch+json";
    return world_.Post(kSystemPath, batch);
  }
  // Until no event of an unknown operation is taken.
  void Fill() {
    for (int i = 0; i < CallbackIntake::kMaxWaiting;) {
      std::string events;
      for (int j = 0; j < 100 && i < CallbackIntake::kMaxWaiting; ++j, ++i)
        events += (j == 0 ? "" : ",") + Event(std::to_string(i), "later-" + std::to_string(i));
      ASSERT_EQ(Tell(events), Answer::kStored);
    }
  }

  CallbackWorld world_{
      {.system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}], correlate: event.subject}",
       .operation = ""}};
};

TEST_F(CallbackBatchTest, EventsForWhichThereIsNoRoomDoNotTakeTheOthersAlong) {
  Fill();
  world_.Submit();
  EXPECT_EQ(Tell(Event("a", "foreign") + "," + Event("b", "op-1") + "," + Event("c", "other")),
            Answer::kStored);
  EXPECT_EQ(world_.engine.Row("op").hints, 1);
  EXPECT_EQ(world_.engine.callback_metrics.CountOf("GitHub", "full"), 2);
  EXPECT_EQ(Tell(Event("b", "op-1") + "," + Event("c", "other")), Answer::kDuplicate)
      << "what was kept is known";
}

TEST_F(CallbackBatchTest, BatchOfWhichNothingIsKeptIsToComeAgain) {
  Fill();
  EXPECT_EQ(Tell(Event("a", "foreign") + "," + Event("b", "other")), Answer::kFull);
  EXPECT_EQ(world_.engine.callback_metrics.CountOf("GitHub", "full"), 1);
}

TEST(CallbackIntakeTest, BatchIsStoredAsAWhole) {
  CallbackWorld world(
      {.system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}], correlate: event.subject}",
       .operation = ""});
  world.Submit();
  const auto event = [](const std::string& id, const std::string& subject) {
    return R"({"specversion":"1.0","source":"/s","type":"t","id":")" + id + R"(","subject":")" +
           subject + "\"}";
  };
  Message batch = world.Signed("[" + event("1", "op-1") + "," + event("2", "op-2") + "," +
                               event("1", "op-1") + "]");
  batch.headers[0].second = "application/cloudevents-batch+json";
  EXPECT_EQ(world.Post(kSystemPath, batch), Answer::kStored);
  EXPECT_EQ(world.engine.Row("op").hints, 1);
  EXPECT_EQ(world.Post(kSystemPath, batch), Answer::kDuplicate);
  EXPECT_EQ(world.engine.Row("op").hints, 1);
  Message empty = world.Signed("[]");
  empty.headers[0].second = "application/cloudevents-batch+json";
  EXPECT_EQ(world.Post(kSystemPath, empty), Answer::kDuplicate);
}

}  // namespace
}  // namespace asyncops::reconciler
