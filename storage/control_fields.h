// Fields by which the server itself looks objects up, in the index that field selectors use. No
// client can name them: its selectors are checked against those of the resource
// (api/scheme.h).
#ifndef ASYNCOPS_STORAGE_CONTROL_FIELDS_H_
#define ASYNCOPS_STORAGE_CONTROL_FIELDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/meta/field_selector.h"
#include "api/scheme.h"
#include "base/json.h"
#include "storage/encoded_pairs.h"

namespace asyncops::storage {

// An owner as its dependents name it.
struct OwnerName {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  auto operator<=>(const OwnerName&) const = default;
};

// Objects whose metadata.ownerReferences name this one.
FieldSelector OwnedBy(const OwnerName& owner);
// Events by the minute of their creation, "2026-11-29T16:47".
FieldSelector CreatedInMinute(std::string_view minute);

// AsyncOperations that may still have something ahead of them: those that are not over, and of
// those that are over what is under deletion, has a time to live, or is asked for something.
FieldSelector Unsettled();
// The same, of one object.
bool IsUnsettled(const Json& operation);

// Times of AsyncOperations, "2026-11-29T16:47:53Z", for the ranges of createdAfter, completedBefore
// and their like.
inline constexpr std::string_view kCreatedTime = "created/time";
inline constexpr std::string_view kCompletedTime = "completed/time";

// What the index holds of a field's value: of a time its day, so that a range is looked up by days.
std::string_view IndexedValue(std::string_view field, std::string_view value);
// The days that a range of times touches, as the index holds them; nothing where they are unknown
// or too many to look up.
std::vector<std::string> DaysOf(const FieldRange& range);

// The same, read from what the store keeps of an object.
std::vector<OwnerName> OwnersOf(const EncodedPairs& fields);
// Whether the object is under deletion and this finalizer, foregroundDeletion or orphan, holds it.
bool IsHeldBy(const EncodedPairs& fields, std::string_view finalizer);
std::string_view MinuteOf(const EncodedPairs& fields);

// Adds those that this object has.
void AddControlFields(const ResourceInfo& resource, const Json& object, Fields* fields);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_CONTROL_FIELDS_H_
