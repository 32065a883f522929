// Fields by which the server's own controllers look objects up, in the index that field selectors
// use. No client can name them: its selectors are checked against those of the resource
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
// Objects under deletion that this finalizer, foregroundDeletion or orphan, holds.
FieldSelector HeldBy(std::string_view finalizer);
// Events by the minute of their creation, "2026-11-29T16:47".
FieldSelector CreatedInMinute(std::string_view minute);

// The same, read from what the store keeps of an object.
std::vector<OwnerName> OwnersOf(const EncodedPairs& fields);
bool IsHeldBy(const EncodedPairs& fields, std::string_view finalizer);
std::string_view MinuteOf(const EncodedPairs& fields);

// Adds those that this object has.
void AddControlFields(const ResourceInfo& resource, const Json& object, Fields* fields);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_CONTROL_FIELDS_H_
