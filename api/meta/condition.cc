#include "api/meta/condition.h"

#include <algorithm>
#include <utility>

#include "api/schema/binding.h"

namespace asyncops {
namespace {

auto Find(Conditions& conditions, std::string_view type) {
  return std::find_if(conditions.begin(), conditions.end(),
                      [type](const Condition& condition) { return condition.type == type; });
}

}  // namespace

const ObjectBinding<Condition>& Condition::Binding() {
  static const auto kBinding =
      ObjectBinding<Condition>("io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
                               "One aspect of the object's current state.")
          .Field("type", &Condition::type, "Name of the condition, in CamelCase.",
                 {.required = true, .max_length = 316})
          .Field("status", &Condition::status, "True, False or Unknown.",
                 {.required = true, .enum_values = {"True", "False", "Unknown"}})
          .Field("observedGeneration", &Condition::observed_generation,
                 "The metadata.generation that the condition was set for. Where it is lower, the "
                 "condition is out of date.",
                 {.minimum = 0})
          .Field("lastTransitionTime", &Condition::last_transition_time,
                 "When the status last changed.", {.required = true})
          .Field("reason", &Condition::reason,
                 "Why the condition has its status, as one word in CamelCase for programs.",
                 {.required = true,
                  .min_length = 1,
                  .max_length = 1024,
                  .pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                  .pattern_rule = "must be CamelCase: start with a letter, then letters, digits, "
                                  "'_', ',' or ':'"})
          .Field("message", &Condition::message, "The same for people. May be empty.",
                 {.required = true, .max_length = 32768});
  return kBinding;
}

const Condition* FindCondition(const Conditions& conditions, std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

void SetCondition(Conditions* conditions, Condition condition, Time now) {
  const auto it = Find(*conditions, condition.type);
  const bool same = it != conditions->end() && it->status == condition.status;
  condition.last_transition_time = same ? it->last_transition_time : now;
  if (it == conditions->end()) {
    conditions->push_back(std::move(condition));
  } else {
    *it = std::move(condition);
  }
}

void RemoveCondition(Conditions* conditions, std::string_view type) {
  const auto it = Find(*conditions, type);
  if (it != conditions->end()) conditions->erase(it);
}

}  // namespace asyncops
