// metadata.managedFields as values.
#ifndef ASYNCOPS_API_FIELDMANAGER_MANAGED_FIELDS_H_
#define ASYNCOPS_API_FIELDMANAGER_MANAGED_FIELDS_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/fieldmanager/field_set.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

// apimachinery's DefaultMaxUpdateManagers, and who gets what the oldest beyond it owned.
inline constexpr std::size_t kMaxUpdateManagers = 10;
// Entries beyond which nobody may apply any more: far more than anybody has, and each is compared
// with all others. What stands in an object is always below what is read (DecodeManagedFields).
inline constexpr std::size_t kMaxManagers = 1000;
inline constexpr std::string_view kAncientChanges = "ancient-changes";

// What one manager owns, as it came to own it.
struct ManagerEntry {
  std::string manager;
  bool is_applied = false;  // operation Apply; Update otherwise
  std::string api_version;
  std::string subresource;  // "" or "status"
  std::string time;         // RFC 3339; "" where there is none
  FieldSet fields;

  // Whether both are of one manager: an applier is one whatever the version.
  bool IsSameManager(const ManagerEntry& other) const;
  bool operator==(const ManagerEntry&) const = default;
};

using ManagerEntries = std::vector<ManagerEntry>;

// BadRequest where it is no list of entries with operation, apiVersion and FieldsV1. Null has no
// entries.
Result<ManagerEntries> DecodeManagedFields(const Json& list);
// The entries of `self`'s manager and those that own something at or below a top-level field of one
// of the sets; the others are left as they are in `others`. For lists that this process wrote: what
// is left is not looked into.
Result<ManagerEntries> DecodeConcerned(const Json& list, const ManagerEntry& self,
                                       std::initializer_list<const FieldSet*> sets,
                                       JsonArray* others);
// Sorted as Kubernetes sorts them: by operation, time, manager, version and subresource. `others`
// are encoded already. Null where there are none.
Json EncodeManagedFields(ManagerEntries entries, JsonArray others = {});

// Whether a client asks to forget all owners: one entry, and that empty.
bool IsReset(const Json& list);

// Puts what the oldest updaters own together where there are more than kMaxUpdateManagers.
void CapUpdateManagers(ManagerEntries* entries);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_MANAGED_FIELDS_H_
