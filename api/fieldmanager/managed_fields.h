// metadata.managedFields as values.
#ifndef ASYNCOPS_API_FIELDMANAGER_MANAGED_FIELDS_H_
#define ASYNCOPS_API_FIELDMANAGER_MANAGED_FIELDS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/fieldmanager/field_set.h"
#include "base/json.h"
#include "base/limits.h"

namespace asyncops::fieldmanager {

// Who gets what the oldest updaters beyond kMaxUpdateManagers owned.
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
// Where the manager of `self` owns all of these fields in the list, and nobody else anything at or
// below a top-level field of them: sets the time of its entry, and is true. Otherwise the list is
// left as it is. For lists that this process wrote; reads no entry's fields but those.
bool RenewEntry(const ManagerEntry& self, std::string_view time,
                std::initializer_list<const FieldSet*> sets, Json* list);
// Sorted as Kubernetes sorts them: by operation, time, manager, version and subresource. `others`
// are encoded already. Null where there are none.
Json EncodeManagedFields(ManagerEntries entries, JsonArray others = {});

// Whether a client asks to forget all owners: one entry, and that empty.
bool IsReset(const Json& list);

// Puts what the oldest updaters own together where there are more than kMaxUpdateManagers.
void CapUpdateManagers(ManagerEntries* entries);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_MANAGED_FIELDS_H_
