#include "storage/control_fields.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "api/meta/deletion.h"
#include "api/operations/v1alpha1/annotations.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "base/limits.h"
#include "base/rfc3339.h"

namespace asyncops::storage {
namespace {

// No path of a field has a slash.
constexpr std::string_view kOwner = "owner/";
constexpr std::string_view kHeld = "held/";
constexpr std::string_view kMinute = "created/minute";
constexpr std::string_view kUnsettled = "operation/unsettled";
constexpr std::string_view kYes = "true";
// "2026-11-29T16:47".
constexpr std::size_t kMinuteSize = 16;
// "2026-11-29".
constexpr std::size_t kDaySize = 10;
constexpr std::array<std::string_view, 2> kCollected = {kForegroundFinalizer, kOrphanFinalizer};

std::string OwnerField(std::string_view uid) { return std::string(kOwner).append(uid); }

std::string HeldField(std::string_view finalizer) { return std::string(kHeld).append(finalizer); }

// None of the three has a space.
std::string OwnerValue(std::string_view api_version, std::string_view kind, std::string_view name) {
  std::string value(api_version);
  return value.append(" ").append(kind).append(" ").append(name);
}

FieldSelector Equal(std::string field, std::string value) {
  FieldSelector selector;
  selector.requirements.push_back(
      {.field = std::move(field), .equal = true, .value = std::move(value)});
  return selector;
}

void AddOwners(const Json& object, Fields* fields) {
  const Json* references = object.FindPath({"metadata", "ownerReferences"});
  if (references == nullptr || !references->is_array()) return;
  for (const Json& reference : references->as_array()) {
    const std::string_view uid = reference.StringAt({"uid"});
    if (uid.empty()) continue;
    fields->insert_or_assign(
        OwnerField(uid), OwnerValue(reference.StringAt({"apiVersion"}),
                                    reference.StringAt({"kind"}), reference.StringAt({"name"})));
  }
}

void AddTimes(const Json& object, Fields* fields) {
  const std::string_view created = object.StringAt({"metadata", "creationTimestamp"});
  const std::string_view completed = object.StringAt({"status", "completionTime"});
  if (!created.empty()) fields->emplace(kCreatedTime, created);
  if (!completed.empty()) fields->emplace(kCompletedTime, completed);
}

}  // namespace

std::string_view IndexedValue(std::string_view field, std::string_view value) {
  return field == kCreatedTime || field == kCompletedTime ? value.substr(0, kDaySize) : value;
}

std::vector<std::string> DaysOf(const FieldRange& range) {
  const std::optional<Time> first = ParseTime(range.from);
  const std::optional<Time> last = ParseTime(range.before.empty() ? range.latest : range.before);
  if (!first || !last) return {};
  std::vector<std::string> days;
  for (auto day = std::chrono::floor<std::chrono::days>(*first); day <= *last;
       day += std::chrono::days(1)) {
    if (days.size() == kMaxRangeDays) return {};
    days.push_back(FormatTime(day).substr(0, kDaySize));
  }
  return days;
}

FieldSelector OwnedBy(const OwnerName& owner) {
  return Equal(OwnerField(owner.uid), OwnerValue(owner.api_version, owner.kind, owner.name));
}

FieldSelector Unsettled() { return Equal(std::string(kUnsettled), std::string(kYes)); }

bool IsUnsettled(const Json& operation) {
  // The final phases are states, too.
  const std::string_view state = operation.StringAt({"status", "state"});
  if (state != phase::kSucceeded && state != phase::kFailed && state != phase::kCanceled)
    return true;
  if (IsUnderDeletion(operation)) return true;
  if (operation.FindPath({"spec", "ttlAfterFinished"}) != nullptr) return true;
  constexpr std::array kAsked = {kRetryRequestedAt, kCancelRequestedAt, kResolve};
  return std::ranges::any_of(kAsked, [&operation](std::string_view asked) {
    return operation.FindPath({"metadata", "annotations", asked}) != nullptr;
  });
}

FieldSelector CreatedInMinute(std::string_view minute) {
  return Equal(std::string(kMinute), std::string(minute));
}

std::vector<OwnerName> OwnersOf(const EncodedPairs& fields) {
  std::vector<OwnerName> owners;
  PairReader reader(fields.text());
  while (reader.Next()) {
    if (!reader.key().starts_with(kOwner)) continue;
    const std::string_view value = reader.value();
    const std::size_t kind = value.find(' ');
    const std::size_t name = value.rfind(' ');
    if (kind == std::string_view::npos || kind == name) continue;
    owners.push_back({.api_version = std::string(value.substr(0, kind)),
                      .kind = std::string(value.substr(kind + 1, name - kind - 1)),
                      .name = std::string(value.substr(name + 1)),
                      .uid = std::string(reader.key().substr(kOwner.size()))});
  }
  return owners;
}

bool IsHeldBy(const EncodedPairs& fields, std::string_view finalizer) {
  return !FindPair(fields.text(), HeldField(finalizer)).empty();
}

std::string_view MinuteOf(const EncodedPairs& fields) { return FindPair(fields.text(), kMinute); }

void AddControlFields(const ResourceInfo& resource, const Json& object, Fields* fields) {
  AddOwners(object, fields);
  if (IsUnderDeletion(object)) {
    for (const std::string_view finalizer : kCollected)
      if (HasFinalizer(object, finalizer)) fields->emplace(HeldField(finalizer), kYes);
  }
  if (resource.plural == kAsyncOperations) {
    AddTimes(object, fields);
    if (IsUnsettled(object)) fields->emplace(kUnsettled, kYes);
  }
  if (resource.group.empty() && resource.plural == "events") {
    const std::string_view created = object.StringAt({"metadata", "creationTimestamp"});
    if (created.size() > kMinuteSize) fields->emplace(kMinute, created.substr(0, kMinuteSize));
  }
}

}  // namespace asyncops::storage
