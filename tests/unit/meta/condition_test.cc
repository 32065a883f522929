#include "api/meta/condition.h"

#include <gtest/gtest.h>

#include "api/schema/binding.h"
#include "api/schema/walk.h"

namespace asyncops {
namespace {

constexpr Time kThen{std::chrono::seconds(100)};
constexpr Time kNow{std::chrono::seconds(200)};

Condition Ready(std::string_view status, std::string reason) {
  Condition condition;
  condition.type = "Ready";
  condition.status = status;
  condition.reason = std::move(reason);
  return condition;
}

TEST(ConditionTest, NewConditionBeginsNow) {
  Conditions conditions;
  SetCondition(&conditions, Ready(kConditionFalse, "Creating"), kNow);
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
}

TEST(ConditionTest, TransitionTimeStaysWhereOnlyTheReasonChanges) {
  Conditions conditions;
  SetCondition(&conditions, Ready(kConditionFalse, "Creating"), kThen);
  SetCondition(&conditions, Ready(kConditionFalse, "Retrying"), kNow);
  EXPECT_EQ(conditions[0].last_transition_time, kThen);
  EXPECT_EQ(conditions[0].reason, "Retrying");
}

TEST(ConditionTest, TransitionTimeMovesWithTheStatus) {
  Conditions conditions;
  SetCondition(&conditions, Ready(kConditionFalse, "Creating"), kThen);
  SetCondition(&conditions, Ready(kConditionTrue, "Created"), kNow);
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
}

TEST(ConditionTest, SettingTheSameAgainChangesNothing) {
  Conditions conditions;
  SetCondition(&conditions, Ready(kConditionTrue, "Created"), kThen);
  const Conditions before = conditions;
  SetCondition(&conditions, Ready(kConditionTrue, "Created"), kNow);
  EXPECT_EQ(conditions, before);
}

TEST(ConditionTest, OthersKeepTheirPlace) {
  Conditions conditions;
  SetCondition(&conditions, Ready(kConditionFalse, "Creating"), kThen);
  Condition other = Ready(kConditionTrue, "Limit");
  other.type = "Throttled";
  SetCondition(&conditions, other, kThen);
  SetCondition(&conditions, Ready(kConditionTrue, "Created"), kNow);
  EXPECT_EQ(conditions[0].type, "Ready");
  EXPECT_EQ(FindCondition(conditions, "Throttled"), &conditions[1]);
  RemoveCondition(&conditions, "Ready");
  RemoveCondition(&conditions, "Ready");
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(FindCondition(conditions, "Ready"), nullptr);
}

TEST(ConditionTest, EncodesAllThatMetaV1Requires) {
  Condition condition = Ready(kConditionUnknown, "Waiting");
  condition.last_transition_time = kThen;
  EXPECT_EQ(EncodeJson(Condition::Binding().Encode(condition)),
            R"({"lastTransitionTime":"1970-01-01T00:01:40Z","message":"","reason":"Waiting",)"
            R"("status":"Unknown","type":"Ready"})");
}

TEST(ConditionTest, ReasonMustBeOneWord) {
  Condition condition = Ready(kConditionTrue, "two words");
  condition.last_transition_time = kThen;
  const FieldErrors errors =
      ValidateStructure(*Condition::Binding().schema(), Condition::Binding().Encode(condition));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].ToString(),
            "reason: Invalid value: \"two words\": must be CamelCase: start with a letter, then "
            "letters, digits, '_', ',' or ':'");
}

}  // namespace
}  // namespace asyncops
