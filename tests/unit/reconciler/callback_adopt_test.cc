// A callback proves that the submit took effect whose answer was lost.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "reconciler/callback_steps.h"
#include "tests/unit/reconciler/callback_world.h"

namespace asyncops::reconciler {
namespace {

using callbacks::Answer;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCorrelated =
    "{inject: {in: Body, pointer: /callbackUrl}, correlate: /operation}";
constexpr const char* kLookup =
    "\n  recovery: {lookup: {path: \"/operations?c=${operation.correlationID}\", "
    "found: size(response.body.items) > 0, id: /items/0/id, settle: 1m}}";
constexpr const char* kStarted = "A callback says that it was started";

std::string About(const std::string& id) { return R"({"operation":")" + id + "\"}"; }

CallbackDeclaration Correlated() { return {.operation = kCorrelated}; }

class CallbackAdoptTest : public testing::Test {
 protected:
  // A system that takes no key, and loses its answers.
  void Begin(const CallbackDeclaration& declaration = Correlated()) {
    world_ = std::make_unique<CallbackWorld>(declaration);
    world_->engine.Edit("externalsystems", "cloud",
                        [](Json* object) { object->ObjectAt("spec").Erase("idempotency"); });
    world_->submit_answer = Ambiguous();
  }
  void Park() {
    world_->CreateOperation();
    world_->engine.Settle();
    ASSERT_EQ(State(), "OutcomeUnknown");
  }
  Answer Tell(const std::string& body) { return TellAt(world_->CalledPath(), body); }
  Answer TellAt(const std::string& path, const std::string& body) {
    const Answer answer =
        world_->Post(path, CallbackWorld::Signed(body, "d" + std::to_string(++told_)));
    return answer;
  }
  std::string State(const std::string& name = "op") { return world_->engine.Operation(name).state; }
  std::string Message() {
    return FindCondition(world_->engine.Operation("op").conditions, "Ready")->message;
  }
  std::ptrdiff_t Submits() {
    const std::vector<kube::OutboundRequest> requests = world_->engine.transport.requests();
    return std::count_if(requests.begin(), requests.end(),
                         [](const auto& request) { return request.method == "POST"; });
  }
  std::vector<std::string> Lines(std::string_view action) {
    std::vector<std::string> lines;
    for (const storage::Attempt& attempt : world_->engine.History("op")) {
      if (attempt.action == action) lines.push_back(attempt.message);
    }
    return lines;
  }
  std::vector<std::string> Events() { return world_->engine.Events("AsyncOperation", "op"); }

  std::unique_ptr<CallbackWorld> world_;
  int told_ = 0;
};

TEST_F(CallbackAdoptTest, WhatIsParkedIsFollowedUnderTheIdThatItsCallbackNames) {
  Begin();
  Park();
  EXPECT_THAT(Message(), Not(HasSubstr(kStarted)));
  world_->poll_body = R"({"status":"done","volume":"v-1"})";
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_->engine.Row("op").operation_id, "op-1");
  EXPECT_EQ(Submits(), 1);
  EXPECT_THAT(Lines("Callback"),
              ElementsAre("a callback says that it was started as operation op-1"));
  EXPECT_THAT(Events(), ElementsAre("SubmitFailed", "OutcomeUnknown", "Adopted", "CallbackReceived",
                                    "Succeeded"));
}

TEST_F(CallbackAdoptTest, WhatIsCalledBackBeforeItsAnswerIsLostIsNeverParked) {
  Begin();
  world_->engine.transport.Handle([this](const kube::OutboundRequest& request) {
    if (request.method != "POST") return Answered(200, R"({"status":"running"})");
    EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
    return Ambiguous();
  });
  world_->CreateOperation();
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
  EXPECT_THAT(Events(), Not(Contains("OutcomeUnknown")));
  EXPECT_EQ(Submits(), 1);
}

TEST_F(CallbackAdoptTest, CrashBetweenCallbackAndAdoptionLosesNothing) {
  Begin();
  Park();
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->Restart();
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(Submits(), 1);
}

TEST_F(CallbackAdoptTest, WhoDiedWithItsIntentFollowsWhatCalledBack) {
  Begin();
  Park();
  // As after a death between the call and the record of its end.
  storage::OperationRow row = world_->engine.Row("op");
  row.state = "Intent";
  ASSERT_TRUE(storage::WriteAndWait(*world_->engine.store, [row](storage::Transaction& tx) {
                return tx.operations().Update(row, "OutcomeUnknown");
              }).ok());
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->Restart();
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(Submits(), 1);
}

TEST_F(CallbackAdoptTest, ForgedCallbackIsNoProof) {
  Begin();
  Park();
  const auto forged = CallbackWorld::Signed(About("op-1"), "d", "forged");
  EXPECT_EQ(world_->Post(world_->CalledPath(), forged), Answer::kRefused);
  EXPECT_EQ(world_->Post(world_->CalledPath(), {.headers = {}, .body = About("op-1")}),
            Answer::kRefused);
  std::string path = world_->CalledPath();
  path.back() = path.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(TellAt(path, About("op-1")), Answer::kUnknown);
  world_->engine.Settle();
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_THAT(Message(), Not(HasSubstr(kStarted)));
}

TEST_F(CallbackAdoptTest, UrlIsProofEnoughWhereTheSystemDoesNotSign) {
  Begin({.system = "{scheme: Token}", .operation = kCorrelated});
  Park();
  EXPECT_EQ(world_->Post(world_->CalledPath(), {.headers = {}, .body = About("op-1")}),
            Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
}

TEST_F(CallbackAdoptTest, SubjectOfACloudEventIsAnIdToo) {
  Begin({.operation = "{inject: {in: Body, pointer: /callbackUrl}, correlate: event.subject}"});
  Park();
  callbacks::Message event = CallbackWorld::Signed(
      R"({"specversion":"1.0","id":"e","source":"s","type":"t","subject":"op-1"})");
  event.headers[0].second = "application/cloudevents+json";
  EXPECT_EQ(world_->Post(world_->CalledPath(), event), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
}

struct Vague {
  const char* reason;
  CallbackDeclaration declaration;
  std::vector<std::string> events;
};

TEST_F(CallbackAdoptTest, WhatDoesNotTellOneIdIsSaidAndNotGuessed) {
  const std::vector<Vague> rows = {
      {"it names none", Correlated(), {R"({"status":"done"})"}},
      {"nothing says where", {}, {About("op-1")}},
      {"they do not agree", Correlated(), {About("op-1"), About("op-2")}},
      {"too long", Correlated(), {About(std::string(2000, 'x'))}},
  };
  for (const Vague& row : rows) {
    Begin(row.declaration);
    Park();
    for (const std::string& event : row.events) EXPECT_EQ(Tell(event), Answer::kStored);
    world_->engine.Settle();
    EXPECT_EQ(State(), "OutcomeUnknown") << row.reason;
    EXPECT_THAT(Message(), HasSubstr(kStarted)) << row.reason;
    EXPECT_EQ(Submits(), 1) << row.reason;
    EXPECT_EQ(world_->polls, 0) << row.reason;
  }
}

TEST_F(CallbackAdoptTest, IdThatShowsASecretIsNone) {
  Begin();
  Park();
  EXPECT_EQ(Tell(About("https://asyncops.example" + world_->CalledPath())), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "OutcomeUnknown");
}

TEST_F(CallbackAdoptTest, CallbackOfAnEarlierSubmissionAdoptsNothing) {
  Begin();
  Park();
  const std::string first = world_->CalledPath();
  EXPECT_EQ(Tell(R"({"status":"done"})"), Answer::kStored);
  world_->engine.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Retry");
  world_->engine.Settle();
  ASSERT_EQ(world_->engine.Row("op").submission, 2);
  ASSERT_EQ(State(), "OutcomeUnknown");
  EXPECT_THAT(Message(), Not(HasSubstr(kStarted)));
  EXPECT_EQ(TellAt(first, About("op-1")), Answer::kFinished);
  world_->engine.Settle();
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_EQ(Tell(About("op-2")), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(world_->engine.Row("op").operation_id, "op-2");
}

TEST_F(CallbackAdoptTest, OneThatCameBeforeTheRetryWasActedUponKeepsItFromASecondSubmit) {
  Begin();
  Park();
  world_->engine.Annotate("asyncoperations", "op", "asyncops.dev/resolve", "Retry");
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(Submits(), 1);
  EXPECT_THAT(Lines("Callback"), ElementsAre(HasSubstr("not submitted again")));
  EXPECT_THAT(EncodeJson(world_->engine.Get("asyncoperations", "op")), Not(HasSubstr("resolve")));
}

TEST_F(CallbackAdoptTest, OperationOfAnotherIsNotAdopted) {
  Begin();
  world_->submit_answer = Answered(202, R"({"id":"op-1"})");
  world_->CreateOperation("first");
  world_->engine.Settle();
  ASSERT_EQ(State("first"), "Submitted");
  world_->submit_answer = Ambiguous();
  Park();
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_EQ(world_->engine.Row("op").operation_id, "");
  EXPECT_THAT(world_->engine.EventMessages("AsyncOperation", "op", "OperationShared"),
              ElementsAre(HasSubstr("that of AsyncOperation first")));
  EXPECT_THAT(Message(), HasSubstr(kStarted));
  const std::size_t lines = world_->engine.History("op").size();
  world_->engine.Nudge();
  EXPECT_EQ(world_->engine.History("op").size(), lines) << "it is told once";
}

TEST_F(CallbackAdoptTest, AfterTheDeadlineAPersonDecides) {
  Begin();
  Park();
  world_->engine.clock.Advance(std::chrono::hours(25));
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "OutcomeUnknown");
  EXPECT_THAT(Message(), HasSubstr(kStarted));
}

TEST_F(CallbackAdoptTest, TrustedEventAlsoEndsWhatItFound) {
  Begin({.system = "{scheme: GitHub, secretRefs: [{name: hook, key: k}], trustPayload: true, "
                   "correlate: /operation}"});
  Park();
  EXPECT_EQ(Tell(R"({"operation":"op-1","status":"done","volume":"v-1"})"), Answer::kStored);
  world_->engine.Settle();
  EXPECT_EQ(State(), "Succeeded");
  EXPECT_EQ(world_->polls, 0);
}

TEST_F(CallbackAdoptTest, LookUpThatMissesWhatCalledBackDoesNotSendItAgain) {
  for (const bool names : {true, false}) {
    Begin({.operation = std::string(kCorrelated) + kLookup});
    world_->engine.transport.Handle([](const kube::OutboundRequest& request) {
      if (request.method == "POST") return Ambiguous();
      const bool poll = request.uri.target.find('?') == std::string::npos;
      return Answered(200, poll ? R"({"status":"running"})" : R"({"items":[]})");
    });
    world_->CreateOperation();
    world_->engine.Settle();
    ASSERT_EQ(State(), "Recovering");
    EXPECT_EQ(Tell(names ? About("op-1") : "{}"), Answer::kStored);
    world_->engine.Pass(minutes(3), seconds(5));
    EXPECT_EQ(Submits(), 1);
    EXPECT_EQ(State(), names ? "Running" : "OutcomeUnknown");
    if (!names) {
      EXPECT_THAT(Message(), HasSubstr("the look-up does not find it"));
    }
  }
}

TEST_F(CallbackAdoptTest, CallbackDuringTheLookUpThatMissesCounts) {
  Begin({.operation = std::string(kCorrelated) + kLookup});
  bool told = false;
  world_->engine.transport.Handle([this, &told](const kube::OutboundRequest& request) {
    if (request.method == "POST") return Ambiguous();
    if (request.uri.target.find('?') == std::string::npos)
      return Answered(200, R"({"status":"running"})");
    const bool settled =
        world_->engine.clock.Now() - world_->engine.Row("op").intent_at >= minutes(1);
    if (settled && !std::exchange(told, true)) {
      EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
    }
    return Answered(200, R"({"items":[]})");
  });
  world_->CreateOperation();
  world_->engine.Pass(minutes(3), seconds(5));
  EXPECT_TRUE(told);
  EXPECT_EQ(Submits(), 1);
  EXPECT_EQ(State(), "Running");
}

TEST_F(CallbackAdoptTest, KeyThatHoldsIsUsedAllTheSame) {
  world_ = std::make_unique<CallbackWorld>(Correlated());
  world_->submit_answer = Ambiguous();
  world_->CreateOperation();
  world_->engine.Settle();
  ASSERT_EQ(State(), "Recovering");
  EXPECT_EQ(Tell(About("op-1")), Answer::kStored);
  world_->submit_answer = Answered(202, R"({"id":"op-1"})");
  world_->engine.Pass(minutes(1), seconds(5));
  EXPECT_EQ(State(), "Running");
  EXPECT_EQ(Submits(), 2);
  EXPECT_THAT(Lines("Callback"), testing::IsEmpty());
}

}  // namespace
}  // namespace asyncops::reconciler
