#include "api/meta/deletion.h"

#include <algorithm>
#include <utility>

#include "base/rfc3339.h"

namespace asyncops {
namespace {

bool IsNamespace(const Json& object) {
  return object.StringAt({"kind"}) == "Namespace" && object.StringAt({"apiVersion"}) == "v1";
}

bool HasItems(const Json* list) {
  return list != nullptr && list->is_array() && !list->as_array().empty();
}

bool IsText(const Json& item, std::string_view text) {
  return item.is_string() && item.as_string() == text;
}

void AddFinalizer(std::string_view finalizer, Json* object) {
  if (HasFinalizer(*object, finalizer)) return;
  Json& finalizers = object->ObjectAt("metadata")["finalizers"];
  if (!finalizers.is_array()) finalizers = JsonArray();
  finalizers.as_array().push_back(Json(finalizer));
}

void Follow(Propagation policy, Json* object) {
  if (policy != Propagation::kForeground) DropFinalizer(kForegroundFinalizer, object);
  if (policy != Propagation::kOrphan) DropFinalizer(kOrphanFinalizer, object);
  if (policy == Propagation::kForeground) AddFinalizer(kForegroundFinalizer, object);
  if (policy == Propagation::kOrphan) AddFinalizer(kOrphanFinalizer, object);
}

void Mark(Time now, Json* object) {
  JsonObject& meta = object->ObjectAt("metadata");
  meta.Set("deletionTimestamp", FormatTime(now));
  meta.Set("deletionGracePeriodSeconds", 0);
  if (meta.Has("generation"))
    meta.Set("generation", object->IntAt({"metadata", "generation"}, 0) + 1);
  if (IsNamespace(*object)) object->ObjectAt("status").Set("phase", "Terminating");
}

}  // namespace

std::optional<Propagation> ParsePropagation(std::string_view text) {
  if (text == "Background") return Propagation::kBackground;
  if (text == "Foreground") return Propagation::kForeground;
  if (text == "Orphan") return Propagation::kOrphan;
  return std::nullopt;
}

bool IsUnderDeletion(const Json& object) {
  return !object.StringAt({"metadata", "deletionTimestamp"}).empty();
}

bool HasFinalizers(const Json& object) {
  return HasItems(object.FindPath({"metadata", "finalizers"}));
}

bool HasFinalizer(const Json& object, std::string_view finalizer) {
  const Json* finalizers = object.FindPath({"metadata", "finalizers"});
  if (!HasItems(finalizers)) return false;
  const JsonArray& items = finalizers->as_array();
  return std::any_of(items.begin(), items.end(),
                     [finalizer](const Json& item) { return IsText(item, finalizer); });
}

void DropFinalizer(std::string_view finalizer, Json* object) {
  if (!HasFinalizer(*object, finalizer)) return;
  JsonObject& meta = object->ObjectAt("metadata");
  JsonArray& items = meta["finalizers"].as_array();
  std::erase_if(items, [finalizer](const Json& item) { return IsText(item, finalizer); });
  if (items.empty()) meta.Erase("finalizers");
}

bool IsHeld(const Json& object) {
  if (HasFinalizers(object)) return true;
  return IsNamespace(object) && HasItems(object.FindPath({"spec", "finalizers"}));
}

DeletionStep BeginDeletion(std::optional<Propagation> policy, Time now, Json* object) {
  const Json before = *object;
  if (policy) Follow(*policy, object);
  if (!IsHeld(*object)) {
    // Watchers get the last state: as it was, for a deletion that takes one step.
    *object = before;
    return DeletionStep::kRemove;
  }
  if (!IsUnderDeletion(*object)) Mark(now, object);
  return *object == before ? DeletionStep::kNone : DeletionStep::kUpdate;
}

}  // namespace asyncops
