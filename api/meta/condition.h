// metav1.Condition, and the rule that a transition time moves only when the status does.
#ifndef ASYNCOPS_API_META_CONDITION_H_
#define ASYNCOPS_API_META_CONDITION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace asyncops {

template <class T>
class ObjectBinding;

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

struct Condition {
  std::string type;
  std::string status;  // kConditionTrue, kConditionFalse or kConditionUnknown
  std::int64_t observed_generation = 0;
  Time last_transition_time{};
  std::string reason;  // CamelCase, never empty
  std::string message;

  static const ObjectBinding<Condition>& Binding();
  bool operator==(const Condition&) const = default;
};

using Conditions = std::vector<Condition>;

const Condition* FindCondition(const Conditions& conditions, std::string_view type);

// Adds the condition or replaces the one of its type, keeping the place. last_transition_time
// becomes `now` where the status is new or differs, and stays otherwise (knative/serving#1181: a
// time that moves each round wakes its own writer).
void SetCondition(Conditions* conditions, Condition condition, Time now);
// Does nothing where there is none.
void RemoveCondition(Conditions* conditions, std::string_view type);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_CONDITION_H_
