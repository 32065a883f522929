// The table of conditions, state by state.
#include <gtest/gtest.h>

#include "reconciler/operation_conditions.h"

namespace asyncops::reconciler {
namespace {

const Time kNow = Time(std::chrono::seconds(1000));

std::string Show(const Conditions& conditions, std::string_view type) {
  const Condition* condition = FindCondition(conditions, type);
  return condition == nullptr ? "-" : condition->status + " " + condition->reason;
}

std::string Line(const Conditions& conditions) {
  std::string line;
  for (const std::string_view type : {kReadyCondition, kOperationCondition, kPendingCondition,
                                      kCompletedCondition, kTerminalErrorCondition}) {
    line += (line.empty() ? "" : " | ") + Show(conditions, type);
  }
  return line;
}

Conditions Of(ConditionFacts facts) {
  Conditions conditions;
  facts.generation = 3;
  SetOperationConditions(facts, kNow, &conditions);
  return conditions;
}

TEST(OperationConditionsTest, EqualTheTableOfTheDesign) {
  const std::string in_progress =
      "False StatusCheckInProgress | False InProgress | True InProgress | False InProgress | "
      "False NoError";
  const std::string retrying =
      "False Retrying | False InProgress | True InProgress | False InProgress | False NoError";
  struct Row {
    const char* state;
    const char* code;
    std::string conditions;
    const char* reason;
  };
  const Row kRows[] = {
      {"Pending", "",
       "False Pending | False Pending | True Pending | False Pending | False NoError",
       "nothing was sent"},
      {"Intent", "", in_progress, "it is being sent"},
      {"Submitted", "", in_progress, "it runs outside"},
      {"Running", "", in_progress, "it runs outside"},
      {"Fetching", "", in_progress, "its result is still missing"},
      {"Canceling", "", in_progress, "it runs until a poll says otherwise"},
      {"Backoff", "HTTP503", retrying, "it will be sent again"},
      {"Recovering", "", retrying, "what came of it is being found out"},
      {"OutcomeUnknown", "OutcomeUnknown",
       "Unknown OutcomeUnknown | Unknown OutcomeUnknown | True OutcomeUnknown | "
       "Unknown OutcomeUnknown | False NoError",
       "nobody knows, and it says so"},
      {"Succeeded", "",
       "True Available | True Completed | False Completed | True Succeeded | False NoError",
       "done"},
      {"Failed", "QuotaExceeded",
       "False QuotaExceeded | False Failed | False Completed | True Failed | True QuotaExceeded",
       "completed too, so that kubectl wait ends"},
      {"Failed", "DeadlineExceeded",
       "False DeadlineExceeded | False Failed | False Completed | True DeadlineExceeded | "
       "True DeadlineExceeded",
       "the reason is seen in the completion"},
      {"Failed", "e-17 bad!",
       "False e17bad | False Failed | False Completed | True Failed | True e17bad",
       "a foreign code becomes a legal reason"},
      {"Canceled", "Canceled",
       "False Canceled | False Canceled | False Completed | True Canceled | False NoError",
       "a cancel is no error"},
  };
  for (const Row& row : kRows) {
    ConditionFacts facts;
    facts.state = row.state;
    facts.code = row.code;
    const Conditions conditions = Of(facts);
    EXPECT_EQ(Line(conditions), row.conditions) << row.state << ": " << row.reason;
    for (const Condition& condition : conditions)
      EXPECT_EQ(condition.observed_generation, 3) << row.state;
  }
}

TEST(OperationConditionsTest, ThrottledIsThereOnlyWhileItApplies) {
  ConditionFacts facts;
  facts.state = "Backoff";
  facts.throttled = true;
  Conditions conditions = Of(facts);
  EXPECT_EQ(Show(conditions, kThrottledCondition), "True RetryAfter");
  facts.throttled = false;
  SetOperationConditions(facts, kNow, &conditions);
  EXPECT_EQ(Show(conditions, kThrottledCondition), "-");
}

TEST(OperationConditionsTest, ASharedOperationIsSaidWhileItIsShared) {
  ConditionFacts facts;
  facts.state = "Running";
  facts.shared_with = "other";
  Conditions conditions = Of(facts);
  EXPECT_EQ(Show(conditions, kSharedCondition), "True SameOperationID");
  facts.shared_with.clear();
  SetOperationConditions(facts, kNow, &conditions);
  EXPECT_EQ(Show(conditions, kSharedCondition), "-");
}

TEST(OperationConditionsTest, AnExplanationIsForReadyAlone) {
  ConditionFacts facts;
  facts.state = "Running";
  facts.message = "short";
  facts.explanation = "long";
  const Conditions conditions = Of(facts);
  EXPECT_EQ(FindCondition(conditions, kReadyCondition)->message, "long");
  EXPECT_EQ(FindCondition(conditions, kOperationCondition)->message, "short");
}

TEST(OperationConditionsTest, TransitionTimesMoveOnlyWhenAStatusDoes) {
  ConditionFacts facts;
  facts.state = "Running";
  Conditions conditions = Of(facts);
  const Time later = kNow + std::chrono::seconds(9);
  facts.state = "Backoff";
  SetOperationConditions(facts, later, &conditions);
  EXPECT_EQ(FindCondition(conditions, kReadyCondition)->last_transition_time, kNow);
  facts.state = "Succeeded";
  SetOperationConditions(facts, later, &conditions);
  EXPECT_EQ(FindCondition(conditions, kReadyCondition)->last_transition_time, later);
  EXPECT_EQ(FindCondition(conditions, kTerminalErrorCondition)->last_transition_time, kNow);
}

TEST(OperationConditionsTest, WhatBlocksItIsTheReasonOfReady) {
  ConditionFacts facts;
  facts.state = "Pending";
  facts.blocked = Blocked{"Suspended", "spec.suspend is true"};
  EXPECT_EQ(Show(Of(facts), kReadyCondition), "False Suspended");
  facts.state = "OutcomeUnknown";
  facts.blocked.reset();
  facts.deletion_blocked = Blocked{"OutcomeUnknown", "resolve it"};
  EXPECT_EQ(Show(Of(facts), kReadyCondition), "Unknown OutcomeUnknown");
  EXPECT_EQ(Show(Of(facts), kDeletionBlockedCondition), "True OutcomeUnknown");
  facts.state = "Running";
  facts.deleting = true;
  EXPECT_EQ(Show(Of(facts), kReadyCondition), "False Deleting");
}

}  // namespace
}  // namespace asyncops::reconciler
