// What `kubectl describe` says in each state that waits: why, what comes next and when, and how to
// change that.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "base/limits.h"
#include "base/rfc3339.h"
#include "reconciler/annotations.h"
#include "reconciler/explain.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kGolden = "tests/golden/conditions/waiting.txt";
constexpr const char* kTroubleshooting = "docs/troubleshooting.md";

const Time kStart = *ParseTime("2026-01-01T12:00:00Z");

std::string ReadFile(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// An operation that waits, and the title under which it stands.
struct Case {
  std::string title;
  AsyncOperation operation;
  OperationState state;
  bool has_state = true;
  std::optional<Blocked> blocked;

  explicit Case(std::string what, std::string_view in = state::kPending) : title(std::move(what)) {
    operation.metadata.namespace_name = "team";
    operation.metadata.name = "data-volume-create-7k2xp";
    operation.metadata.generation = 1;
    has_state = in != state::kPending;
    state.row.state = in;
    state.row.submission = 1;
    state.row.attempt = 2;
    state.row.correlation_id = "7f3c-1";
    state.row.intent_at = kStart;
    state.row.sent_at = kStart;
    state.memo.start_time = kStart;
  }
  Case& Fails(std::string code, std::string message) {
    state.memo.code = std::move(code);
    state.memo.message = std::move(message);
    return *this;
  }
  Case& Next(Duration after) {
    state.row.next_attempt_at = kStart + after;
    return *this;
  }
  Case& Blocks(std::string reason, std::string message) {
    blocked = Blocked{std::move(reason), std::move(message)};
    return *this;
  }
  // Under deletion for ten minutes.
  Case& Deleted() {
    operation.metadata.deletion_timestamp = kStart;
    return *this;
  }

  Conditions Shown() const {
    return ProjectStatus(operation, has_state ? &state : nullptr, blocked, kStart + minutes(10))
        .conditions;
  }
  std::string Text() const {
    std::string text = "## " + title + "\n";
    for (const Condition& condition : Shown()) {
      const bool shown = condition.type == "Ready" || condition.type == "Throttled" ||
                         condition.type == "DeletionBlocked" || condition.type == "OperationShared";
      if (!shown) continue;
      text += condition.type + "=" + condition.status + " " + condition.reason + "\n" +
              condition.message + "\n";
    }
    return text;
  }
};

Case Backoff() {
  Case backoff("Backoff: surely not running outside", state::kBackoff);
  backoff.Fails("HTTP401", "token expired").Next(minutes(5)).state.row.retry_count = 2;
  return backoff;
}

Case NotSent() {
  Case backoff("Backoff: nothing left us", state::kBackoff);
  backoff.Fails("ConnectionRefused", "nobody listens at cloud.example:443").Next(seconds(10));
  backoff.state.memo.not_sent = true;
  backoff.state.row.retry_count = 1;
  return backoff;
}

Case Throttled() {
  Case backoff("Backoff: Throttled", state::kBackoff);
  backoff.Fails("HTTP429", "slow down").Next(seconds(30));
  backoff.state.memo.throttled_until = kStart + seconds(30);
  return backoff;
}

Case Credentials() {
  Case backoff("CredentialsMissing", state::kBackoff);
  backoff.Fails("CredentialsMissing", "Secret \"acme\" in namespace team is not there");
  backoff.Next(minutes(5)).state.memo.not_sent = true;
  return backoff;
}

Case RecoveringByKey() {
  Case recovering("Recovering: by idempotency key", state::kRecovering);
  recovering.state.row.idempotency_key = "k";
  return recovering.Fails("Timeout", "no answer within 30s").Next(seconds(10));
}

Case RecoveringSettles() {
  Case recovering("Recovering: a look-up settles", state::kRecovering);
  return recovering
      .Fails(std::string(state::kLookupNotSettled),
             "the look-up found nothing, which counts only from 2026-01-01T12:01:00Z on: until "
             "then the submit may still be under way (recovery.lookup.settle)")
      .Next(minutes(1));
}

Case Running() {
  Case running("Running", state::kRunning);
  running.state.row.operation_id = "op-7";
  running.state.memo.progress = "40";
  return running;
}

Case RunningTroubled() {
  Case running("Running: nothing goes well", state::kRunning);
  running.state.row.operation_id = "op-7";
  running.state.memo.throttled_until = kStart + minutes(1);
  running.state.memo.cancel_refused = true;
  running.state.memo.shared_with = "other-create-x2x4z";
  return running.Fails("HTTP503", "the last poll failed: unavailable");
}

Case CancelSent() {
  Case canceling("Canceling: the system took it", state::kCanceling);
  canceling.operation.metadata.annotations.emplace(kRequestedBy, "alice");
  canceling.state.memo.cancel_reason = "CancelRequested";
  canceling.state.memo.cancel_sent_at = kStart;
  return canceling;
}

Case CancelDue() {
  Case canceling("Canceling: to be sent again", state::kCanceling);
  canceling.state.memo.cancel_reason = "DeadlineExceeded";
  return canceling.Fails("", "the cancel failed: HTTP 500").Next(seconds(10));
}

std::vector<Case> Parked() {
  Case parked("OutcomeUnknown", state::kOutcomeUnknown);
  parked.Fails("OutcomeUnknown",
               "the answer to the submit was lost, and the external system offers neither an "
               "idempotency key that still holds nor a look-up");
  Case deleted = parked;
  deleted.title = "DeletionBlocked: OutcomeUnknown";
  deleted.Deleted();
  Case told = parked;
  told.title = "OutcomeUnknown: a callback came that does not tell the ID";
  told.state.row.hints = 1;
  return {parked, told, deleted};
}

std::vector<Case> Deletions() {
  Case running("DeletionBlocked: it runs outside", state::kRunning);
  running.Deleted();
  Case orphan("DeletionBlocked: its system is gone", state::kRunning);
  orphan.Blocks("ExternalSystemNotFound",
                "there is no ExternalSystem \"acme-cloud\" in this namespace");
  orphan.Deleted();
  Case owned("DeletionBlocked: it belongs to a resource", state::kRecovering);
  owned.operation.metadata.finalizers.emplace_back(kTrackingFinalizer);
  owned.operation.spec.resource_ref = ResourceRef{.api_version = "asyncops.dev/v1alpha1",
                                                  .kind = "AsyncResource",
                                                  .name = "data-volume",
                                                  .uid = "u"};
  owned.Next(minutes(11)).Deleted();
  return {running, orphan, owned};
}

std::vector<Case> Suspensions() {
  const char* why = "spec.suspend is true: nothing new is sent";
  Case fresh("Suspended: before the first submit");
  fresh.Blocks("Suspended", why);
  Case waiting("Suspended: between two attempts", state::kBackoff);
  waiting.Fails("HTTP401", "token expired").Next(minutes(5)).Blocks("Suspended", why);
  Case owned("Suspended: of a resource, in doubt", state::kRecovering);
  owned.operation.metadata.labels.emplace(kResourceUidLabel, "u");
  owned.operation.spec.resource_ref = ResourceRef{.api_version = "asyncops.dev/v1alpha1",
                                                  .kind = "AsyncResource",
                                                  .name = "data-volume",
                                                  .uid = "u"};
  owned.Blocks("Suspended", why);
  return {fresh, waiting, owned};
}

std::vector<Case> AllCases() {
  Case system("ExternalSystemNotFound");
  system.Blocks("ExternalSystemNotFound",
                "there is no ExternalSystem \"acme-cloud\" in this namespace");
  Case fetching("Fetching: the result cannot be read", state::kFetching);
  fetching.Fails("", "the result could not be read: HTTP 503").Next(seconds(10));
  std::vector<Case> cases = {system,
                             Backoff(),
                             NotSent(),
                             Throttled(),
                             Credentials(),
                             RecoveringByKey(),
                             RecoveringSettles(),
                             Running(),
                             RunningTroubled(),
                             fetching,
                             CancelSent(),
                             CancelDue()};
  for (std::vector<Case> more : {Suspensions(), Parked(), Deletions()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

TEST(EngineExplainTest, SaysInEachWaitingStateWhatANewcomerNeeds) {
  std::string text;
  for (const Case& one : AllCases()) text += (text.empty() ? "" : "\n") + one.Text();
  EXPECT_EQ(text, ReadFile(kGolden)) << "if this is meant, it is the new " << kGolden;
}

TEST(EngineExplainTest, NamesATimeOrACommandInEachState) {
  for (const Case& one : AllCases()) {
    for (const Condition& condition : one.Shown()) {
      if (condition.type != "Ready") continue;
      const bool helps = condition.message.find("kubectl -n team ") != std::string::npos ||
                         condition.message.find("2026-01-0") != std::string::npos;
      EXPECT_TRUE(helps) << one.title << ": " << condition.message;
    }
  }
}

TEST(EngineExplainTest, AMessageOfAnyLengthKeepsItsCommands) {
  Case backoff = Backoff();
  backoff.Fails("HTTP500", std::string(5000, 'x'));
  Case parked("OutcomeUnknown", state::kOutcomeUnknown);
  parked.Fails("OutcomeUnknown", std::string(5000, 'y'));
  for (const Case& one : {backoff, parked}) {
    const Conditions shown = one.Shown();
    const std::string message = FindCondition(shown, "Ready")->message;
    EXPECT_LE(message.size(), kMaxMessageBytes);
    EXPECT_THAT(message, HasSubstr("kubectl -n team annotate"));
  }
}

TEST(EngineExplainTest, ATimeThatPassesAloneChangesNothing) {
  for (const Case& one : AllCases()) {
    const OperationState* state = one.has_state ? &one.state : nullptr;
    AsyncOperation shown = one.operation;
    shown.status = ProjectStatus(one.operation, state, one.blocked, kStart + minutes(10));
    const AsyncOperationStatus later =
        ProjectStatus(shown, state, one.blocked, kStart + std::chrono::hours(10));
    EXPECT_EQ(later, shown.status) << one.title;
  }
}

// Reasons of Events and conditions that a person may meet.
constexpr const char* kReasons[] = {
    "Pending",
    "Suspended",
    "ExternalSystemNotFound",
    "InvalidDeclaration",
    "CredentialsMissing",
    "SecretNotWritten",
    "Retrying",
    "Throttled",
    "StatusCheckInProgress",
    "OutcomeUnknown",
    "DeletionBlocked",
    "InUse",
    "DeadlineExceeded",
    "OperationNotFound",
    "TerminalError",
    "OperationFailed",
    "CancelRefused",
    "RequestRefused",
    "OperationShared",
    "Orphaned",
    "GenerationSkipped",
    "OperationNameTaken",
    "SubmitFailed",
    "PollFailed",
    "Canceled",
};

TEST(EngineExplainTest, EachReasonHasItsSectionInTheDocumentation) {
  const std::string docs = ReadFile(kTroubleshooting);
  for (const char* reason : kReasons)
    EXPECT_THAT(docs, HasSubstr("\n## " + std::string(reason) + "\n"));
}

}  // namespace
}  // namespace asyncops::reconciler
