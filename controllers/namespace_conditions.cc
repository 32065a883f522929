#include "controllers/namespace_conditions.h"

#include <string_view>
#include <utility>

#include "api/meta/condition.h"
#include "api/schema/binding.h"

namespace asyncops::controllers {
namespace {

// "secrets. has 2 resource instances, events. has ..." is how Kubernetes puts it: the resource and
// its group, which is "" for core.
std::string TextOf(const std::map<std::string, int>& counts, std::string_view verb,
                   std::string_view things) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += text.empty() ? "" : ", ";
    text += name;
    if (verb == "has" && name.find('.') == std::string::npos) text += ".";
    text += " " + std::string(verb) + " " + std::to_string(count) + " " + std::string(things);
  }
  return text;
}

Condition Make(std::string_view type, bool holds, std::string reason, std::string message) {
  Condition condition;
  condition.type = type;
  condition.status = holds ? kConditionTrue : kConditionFalse;
  condition.reason = std::move(reason);
  condition.message = std::move(message);
  return condition;
}

Condition FailureCondition(const std::string& failure) {
  constexpr std::string_view kType = "NamespaceDeletionContentFailure";
  if (failure.empty()) {
    return Make(kType, false, "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization");
  }
  return Make(kType, true, "ContentDeletionFailed",
              "Failed to delete all resource types, 1 remaining: " + failure);
}

Condition ContentCondition(const Remaining& remaining) {
  constexpr std::string_view kType = "NamespaceContentRemaining";
  if (remaining.resources.empty())
    return Make(kType, false, "ContentRemoved", "All content successfully removed");
  return Make(
      kType, true, "SomeResourcesRemain",
      "Some resources are remaining: " + TextOf(remaining.resources, "has", "resource instances"));
}

Condition FinalizerCondition(const Remaining& remaining) {
  constexpr std::string_view kType = "NamespaceFinalizersRemaining";
  if (remaining.finalizers.empty()) {
    return Make(kType, false, "ContentHasNoFinalizers",
                "All content-preserving finalizers finished");
  }
  return Make(kType, true, "SomeFinalizersRemain",
              "Some content in the namespace has finalizers remaining: " +
                  TextOf(remaining.finalizers, "in", "resource instances"));
}

}  // namespace

void SetNamespaceConditions(const Remaining& remaining, const std::string& failure, Time now,
                            Json* namespace_object) {
  JsonObject& status = namespace_object->ObjectAt("status");
  Conditions conditions;
  // What does not decode is written anew.
  if (const Json* present = status.Find("conditions")) {
    if (!Codec<Conditions>::Decode(*present, &conditions).ok()) conditions.clear();
  }
  for (const Condition& condition :
       {FailureCondition(failure), ContentCondition(remaining), FinalizerCondition(remaining)})
    SetCondition(&conditions, condition, now);
  status.Set("conditions", Codec<Conditions>::Encode(conditions));
}

}  // namespace asyncops::controllers
