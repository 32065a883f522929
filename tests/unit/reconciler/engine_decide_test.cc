// What is done next, case by case.
#include <functional>
#include <gtest/gtest.h>

#include "reconciler/annotations.h"
#include "reconciler/decide.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kNow = Time(hours(1000));

// A situation that owns its parts; a running operation of a system with key and look-up.
struct Case {
  AsyncOperation operation;
  storage::OperationRow row;
  OperationMemo memo;
  Protocol::Policy policy;
  bool has_row = true;
  bool has_policy = true;
  bool hopeless = false;
  bool can_cancel = true;
  bool nudged = false;
  std::optional<Time> poll_due;
  std::string told_id;

  Case() {
    row.state = state::kRunning;
    row.idempotency_key = "key";
    row.intent_at = kNow - seconds(30);
    row.sent_at = row.intent_at;
    memo.start_time = row.intent_at;
    policy.sends_key = true;
    policy.key_ttl = hours(24);
    policy.has_lookup = true;
    policy.lookup_settle = minutes(1);
    policy.active_deadline = hours(24);
    policy.request_timeout = seconds(30);
  }
  void Annotate(std::string_view name, std::string value) {
    operation.metadata.annotations.emplace(name, std::move(value));
  }
  void Delete() { operation.metadata.deletion_timestamp = kNow; }
  void In(std::string_view state) { row.state = state; }

  Action Decided() const {
    return Decide({.operation = operation,
                   .row = has_row ? &row : nullptr,
                   .memo = memo,
                   .policy = has_policy ? &policy : nullptr,
                   .problem = {"ExternalSystemNotFound", "no system"},
                   .hopeless = hopeless,
                   .can_cancel = can_cancel,
                   .nudged = nudged,
                   .now = kNow,
                   .poll_due = poll_due,
                   .completed = row.completed_at,
                   .told_id = told_id});
  }
};

std::string Name(const action::Nothing& /*a*/) { return "nothing"; }
std::string Name(const action::Wait& a) {
  const auto left = std::chrono::duration_cast<seconds>(a.until - kNow).count();
  return "wait " + std::to_string(left);
}
std::string Name(const action::Block& a) { return "block " + a.why.reason; }
std::string Name(const action::Wake& /*a*/) { return "wake"; }
std::string Name(const action::Submit& a) {
  return std::string("submit") + (a.same_submission ? " same" : "") + (a.reset ? " reset" : "") +
         (a.mended ? " mended" : "");
}
std::string Name(const action::Resend& /*a*/) { return "resend"; }
std::string Name(const action::Lookup& /*a*/) { return "lookup"; }
std::string Name(const action::Park& /*a*/) { return "park"; }
std::string Name(const action::Adopt& a) {
  return std::string(a.force  ? "force adopt "
                     : a.told ? "adopt as told "
                              : "adopt ") +
         a.operation_id;
}
std::string Name(const action::Poll& /*a*/) { return "poll"; }
std::string Name(const action::TakeSuspend& /*a*/) { return "take suspend"; }
std::string Name(const action::Refuse& a) {
  return "refuse " + std::string(a.annotation.substr(a.annotation.rfind('/') + 1));
}
std::string Name(const action::Fetch& /*a*/) { return "fetch"; }
std::string Name(const action::BeginCancel& a) { return "begin cancel " + a.reason; }
std::string Name(const action::SendCancel& /*a*/) { return "send cancel"; }
std::string Name(const action::Finish& a) { return std::string(a.state) + " " + a.code; }
std::string Name(const action::Remove& a) { return a.forced ? "remove by force" : "remove"; }

struct Row {
  std::function<void(Case*)> given;
  const char* decided;
  const char* reason;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    Case one;
    row.given(&one);
    const Action action = one.Decided();
    EXPECT_EQ(std::visit([](const auto& a) { return Name(a); }, action), row.decided) << row.reason;
  }
}

void NoRow(Case* c) { c->has_row = false; }
void NoKey(Case* c) { c->policy.sends_key = false; }
void NoLookup(Case* c) { c->policy.has_lookup = false; }

TEST(DecideTest, BeforeTheFirstIntent) {
  Check({
      {[](Case* c) { NoRow(c); }, "submit", "all is there"},
      {[](Case* c) {
         NoRow(c);
         c->operation.spec.suspend = true;
       },
       "block Suspended", "nothing new is sent"},
      {[](Case* c) {
         NoRow(c);
         c->has_policy = false;
       },
       "block ExternalSystemNotFound", "the system may appear"},
      {[](Case* c) {
         NoRow(c);
         c->has_policy = false;
         c->hopeless = true;
       },
       "Failed ExternalSystemNotFound", "a wrong declaration does not get better"},
      {[](Case* c) {
         NoRow(c);
         c->Delete();
       },
       "remove", "nothing was sent"},
      {[](Case* c) {
         NoRow(c);
         c->Annotate(kCancelRequestedAt, "now");
       },
       "Canceled CancelRequested", "nothing was sent"},
  });
}

TEST(DecideTest, AfterAnAnswerThatIsUnknown) {
  Check({
      {[](Case* c) { c->In(state::kIntent); }, "resend",
       "the pass that wrote the intent never learnt: same bytes, same key"},
      {[](Case* c) { c->In(state::kRecovering); }, "resend", "the key holds"},
      {[](Case* c) {
         c->In(state::kRecovering);
         c->row.next_attempt_at = kNow + seconds(5);
       },
       "wait 5", "tiers hold here too"},
      {[](Case* c) {
         c->In(state::kIntent);
         c->operation.spec.suspend = true;
         c->memo.suspended = true;
       },
       "block Suspended", "a resend is a send"},
      {[](Case* c) {
         c->In(state::kRecovering);
         NoKey(c);
       },
       "lookup", "no key, but a look-up"},
      {[](Case* c) {
         c->In(state::kRecovering);
         c->row.intent_at = kNow - hours(24) + seconds(30);
         c->policy.active_deadline = hours(48);
       },
       "lookup", "within the margin of its end a key does not hold"},
      {[](Case* c) {
         c->In(state::kRecovering);
         c->memo.exists = true;
       },
       "lookup", "the system says that it exists"},
      {[](Case* c) {
         c->In(state::kIntent);
         NoKey(c);
         NoLookup(c);
       },
       "park", "neither key nor look-up: never resent blindly"},
      {[](Case* c) {
         c->In(state::kIntent);
         NoKey(c);
         NoLookup(c);
         c->policy.park_on_unknown = false;
       },
       "Failed OutcomeUnknown", "declared to fail instead"},
      {[](Case* c) {
         c->In(state::kRecovering);
         c->memo.start_time = kNow - hours(25);
       },
       "park", "a deadline does not make the unknown known"},
      {[](Case* c) {
         c->In(state::kRecovering);
         c->Delete();
       },
       "resend", "what may run outside is found out before it goes"},
  });
}

TEST(DecideTest, WhatUsersAskForWhereItHasNoUse) {
  Check({
      {[](Case* c) { c->Annotate(kResolve, "Retry"); }, "refuse resolve", "nothing is in doubt"},
      {[](Case* c) {
         NoRow(c);
         c->Annotate(kResolve, "Retry");
       },
       "refuse resolve", "nor before it was sent"},
      {[](Case* c) {
         c->can_cancel = false;
         c->Annotate(kCancelRequestedAt, "1");
       },
       "refuse cancel-requested-at", "there is no cancel"},
      {[](Case* c) {
         c->can_cancel = false;
         c->memo.cancel_refused = true;
         c->memo.handled_cancel = "1";
         c->Annotate(kCancelRequestedAt, "1");
       },
       "poll", "that is told once"},
      {[](Case* c) {
         c->memo.cancel_refused = true;
         c->memo.handled_cancel = "1";
         c->Annotate(kCancelRequestedAt, "1");
       },
       "begin cancel CancelRequested", "a cancel was declared since"},
      {[](Case* c) {
         c->In(state::kFetching);
         c->Annotate(kCancelRequestedAt, "1");
       },
       "refuse cancel-requested-at", "it is over outside"},
      {[](Case* c) {
         c->In(state::kSucceeded);
         c->Annotate(kRetryRequestedAt, "1");
       },
       "refuse retry-requested-at", "there is nothing to retry"},
      {[](Case* c) {
         c->In(state::kSucceeded);
         c->Annotate(kCancelRequestedAt, std::string(kResourceDeleted));
       },
       "nothing", "the resource asks late, and nobody needs to know"},
      {[](Case* c) {
         c->In(state::kSucceeded);
         c->Delete();
         c->Annotate(kRetryRequestedAt, "1");
       },
       "remove", "what goes need not answer"},
  });
}

TEST(DecideTest, ASuspendThatChangedIsToldOfFirst) {
  Check({
      {[](Case* c) { c->operation.spec.suspend = true; }, "take suspend", "it was set"},
      {[](Case* c) { c->memo.suspended = true; }, "take suspend", "it was taken back"},
      {[](Case* c) {
         c->memo.suspended = true;
         c->operation.spec.suspend = true;
       },
       "poll", "what runs outside is followed"},
      {[](Case* c) {
         c->In(state::kFailed);
         c->operation.spec.suspend = true;
       },
       "nothing", "what is over is not suspended"},
  });
}

TEST(DecideTest, ByForce) {
  const auto forced = [](Case* c) {
    c->Delete();
    c->Annotate(kForceDelete, "true");
  };
  Check({
      {forced, "remove by force", "whatever runs outside"},
      {[forced](Case* c) {
         forced(c);
         c->has_policy = false;
       },
       "remove by force", "and with no system to ask"},
      {[](Case* c) { c->Annotate(kForceDelete, "true"); }, "poll", "nobody deletes it"},
      {[](Case* c) {
         c->Delete();
         c->Annotate(kForceDelete, "yes");
       },
       "begin cancel Deleted", "only true is force"},
      {[forced](Case* c) {
         forced(c);
         c->operation.metadata.finalizers.emplace_back(kTrackingFinalizer);
       },
       "begin cancel Deleted", "its resource would make another one"},
  });
}

TEST(DecideTest, WithoutASystemTheDeadlineStillEndsIt) {
  const auto late = [](Case* c) {
    c->has_policy = false;
    c->memo.start_time = kNow - hours(25);
  };
  Check({
      {[](Case* c) { c->has_policy = false; }, "block ExternalSystemNotFound", "it may come back"},
      {late, "Failed DeadlineExceeded", "24 hours are over"},
      {[late](Case* c) {
         late(c);
         c->In(state::kRecovering);
       },
       "park", "whether it runs is unknown"},
      {[late](Case* c) {
         late(c);
         c->operation.spec.active_deadline = hours(48);
       },
       "block ExternalSystemNotFound", "it has more time"},
  });
}

// Parked, and called back with an ID.
void Told(Case* c) {
  c->In(state::kOutcomeUnknown);
  c->told_id = "op-7";
}

TEST(DecideTest, WhileParkedAndCalledBack) {
  Check({
      {Told, "adopt as told op-7", "it took effect"},
      {[](Case* c) {
         Told(c);
         c->Delete();
       },
       "adopt as told op-7", "it can be cancelled then"},
      {[](Case* c) {
         Told(c);
         c->Annotate(kResolve, "Retry");
       },
       "adopt as told op-7", "a retry would make a second one"},
      {[](Case* c) {
         Told(c);
         c->Annotate(kResolve, "Adopt:op-8");
       },
       "adopt op-8", "a person chose another"},
      {[](Case* c) {
         Told(c);
         c->Annotate(kResolve, "Fail");
       },
       "Failed OutcomeUnknown", "a person gives it up"},
      {[](Case* c) {
         Told(c);
         c->memo.start_time = kNow - hours(25);
       },
       "nothing", "it would be given up at once"},
      {[](Case* c) {
         Told(c);
         c->has_policy = false;
       },
       "nothing", "nobody knows how to follow it"},
  });
}

TEST(DecideTest, WhileInDoubtAndCalledBack) {
  const auto in_doubt = [](Case* c) {
    c->In(state::kRecovering);
    c->told_id = "op-7";
  };
  Check({
      {[in_doubt](Case* c) {
         in_doubt(c);
         c->policy.sends_key = false;
         c->policy.has_lookup = false;
       },
       "adopt as told op-7", "there is no other way"},
      {[in_doubt](Case* c) {
         in_doubt(c);
         c->policy.sends_key = false;
         c->policy.has_lookup = false;
         c->policy.park_on_unknown = false;
       },
       "adopt as told op-7", "it is not unknown"},
      {[in_doubt](Case* c) {
         in_doubt(c);
         c->policy.sends_key = false;
       },
       "lookup", "that may tell more"},
      {in_doubt, "resend", "the answer tells more, and its key makes nothing twice"},
  });
}

TEST(DecideTest, WhileParked) {
  Check({
      {[](Case* c) { c->In(state::kOutcomeUnknown); }, "nothing", "a person must resolve it"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Delete();
       },
       "nothing", "something may run outside"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "Adopt:op-7");
       },
       "adopt op-7", "a person found it"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "ForceAdopt:op-7");
       },
       "force adopt op-7", "and knows that another follows it"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "retry");
       },
       "refuse resolve", "that is no resolution"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "Retry");
       },
       "submit reset", "a person says that nothing was created"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "Fail");
       },
       "Failed OutcomeUnknown", "a person gives it up"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "Adopt:");
       },
       "refuse resolve", "an ID is missing"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->Annotate(kResolve, "retry");
       },
       "refuse resolve", "no such resolution"},
      {[](Case* c) {
         c->In(state::kOutcomeUnknown);
         c->memo.start_time = kNow - hours(99);
       },
       "nothing", "no deadline ends it silently"},
  });
}

TEST(DecideTest, InBackoff) {
  Check({
      {[](Case* c) {
         c->In(state::kBackoff);
         c->row.next_attempt_at = kNow + seconds(9);
       },
       "wait 9", "the tier's delay"},
      {[](Case* c) { c->In(state::kBackoff); }, "submit", "due: a new submission, a new key"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->memo.not_sent = true;
       },
       "submit same", "nothing left us: the same submission"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->row.next_attempt_at = kNow + hours(9);
         c->Annotate(kRetryRequestedAt, "now");
       },
       "submit reset", "a person asks"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->row.next_attempt_at = kNow + hours(1);
         c->Annotate(kRetryRequestedAt, "now");
         c->memo.handled_retry = "now";
       },
       "wait 3600", "the same value acts once"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->operation.spec.suspend = true;
         c->memo.suspended = true;
       },
       "block Suspended", "nothing new is sent"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->memo.start_time = kNow - hours(25);
       },
       "Failed DeadlineExceeded", "time is up"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->memo.start_time = kNow - hours(24) + seconds(3);
         c->row.next_attempt_at = kNow + seconds(9);
       },
       "wait 3", "the deadline comes first"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->Delete();
       },
       "remove", "nothing runs outside"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->Annotate(kCancelRequestedAt, "now");
       },
       "Canceled CancelRequested", "nothing runs outside"},
  });
}

TEST(DecideTest, InBackoffWhenSomethingChanged) {
  Check({
      {[](Case* c) {
         c->In(state::kBackoff);
         c->memo.not_sent = true;
         c->nudged = true;
         c->row.next_attempt_at = kNow + seconds(9);
       },
       "submit same", "what was not reached is tried at once, and goes on counting"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->memo.not_sent = true;
         c->memo.code = "CredentialsMissing";
         c->nudged = true;
         c->row.next_attempt_at = kNow + seconds(9);
       },
       "submit same mended", "a Secret came"},
      {[](Case* c) {
         c->In(state::kBackoff);
         c->nudged = true;
         c->row.next_attempt_at = kNow + seconds(9);
       },
       "wait 9", "a Secret does not change what the system said"},
  });
}

TEST(DecideTest, WhileItRunsOutside) {
  Check({
      {[](Case* /*c*/) {}, "poll", "after a restart it is simply polled"},
      {[](Case* c) { c->poll_due = kNow + seconds(7); }, "wait 7", "the poll's pace"},
      {[](Case* c) {
         c->poll_due = kNow + seconds(7);
         c->row.hints = 1;
       },
       "poll", "a callback came"},
      {[](Case* c) {
         c->operation.spec.suspend = true;
         c->memo.suspended = true;
       },
       "poll", "suspended or not, what runs is followed"},
      {[](Case* c) { c->Annotate(kRetryRequestedAt, "now"); }, "wake", "a person asks"},
      {[](Case* c) { c->Annotate(kCancelRequestedAt, "now"); }, "begin cancel CancelRequested",
       "a person asks"},
      {[](Case* c) {
         c->Annotate(kCancelRequestedAt, "now");
         c->can_cancel = false;
       },
       "refuse cancel-requested-at", "the system has no cancel: it comes to its end"},
      {[](Case* c) { c->Delete(); }, "begin cancel Deleted", "it is not wanted any more"},
      {[](Case* c) {
         c->Delete();
         c->can_cancel = false;
       },
       "poll", "it must end first"},
      {[](Case* c) { c->memo.start_time = kNow - hours(24); }, "begin cancel DeadlineExceeded",
       "time is up"},
      {[](Case* c) {
         c->memo.start_time = kNow - hours(24);
         c->can_cancel = false;
       },
       "Failed DeadlineExceeded", "time is up, and it cannot be cancelled"},
      {[](Case* c) { c->has_policy = false; }, "block ExternalSystemNotFound",
       "nobody can be asked"},
      {[](Case* c) { c->In(state::kFetching); }, "fetch", "its result is missing"},
      {[](Case* c) { c->In(state::kCanceling); }, "send cancel", "the cancel's intent is on disk"},
      {[](Case* c) {
         c->In(state::kCanceling);
         c->memo.cancel_sent_at = kNow;
       },
       "poll", "what came of the cancel"},
      {[](Case* c) {
         c->In(state::kCanceling);
         c->memo.cancel_failures = 3;
       },
       "poll", "a cancel that fails is given up"},
      {[](Case* c) {
         c->In(state::kCanceling);
         c->memo.cancel_sent_at = kNow - minutes(6);
         c->memo.start_time = kNow - hours(25);
       },
       "Failed DeadlineExceeded", "nobody confirmed the cancel"},
  });
}

TEST(DecideTest, AfterItsEnd) {
  Check({
      {[](Case* c) { c->In(state::kSucceeded); }, "nothing", "done"},
      {[](Case* c) {
         c->In(state::kFailed);
         c->Annotate(kRetryRequestedAt, "now");
       },
       "submit reset", "a person asks"},
      {[](Case* c) {
         c->In(state::kSucceeded);
         c->Annotate(kRetryRequestedAt, "now");
       },
       "refuse retry-requested-at", "there is nothing to retry"},
      {[](Case* c) {
         c->In(state::kSucceeded);
         c->Delete();
       },
       "remove", "its rows go with it"},
      {[](Case* c) {
         c->In(state::kFailed);
         c->row.completed_at = kNow - minutes(1);
         c->operation.spec.ttl_after_finished = minutes(2);
       },
       "wait 60", "kept until its time to live ends"},
      {[](Case* c) {
         c->In(state::kFailed);
         c->row.completed_at = kNow - minutes(2);
         c->operation.spec.ttl_after_finished = minutes(2);
       },
       "remove", "its time to live has ended"},
  });
}

}  // namespace
}  // namespace asyncops::reconciler
