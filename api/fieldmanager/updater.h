// What a write does to the owners of an object's fields, and what an applied configuration makes of
// the object. Pure over JSON; objects are as they are stored, with their defaults.
#ifndef ASYNCOPS_API_FIELDMANAGER_UPDATER_H_
#define ASYNCOPS_API_FIELDMANAGER_UPDATER_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/fieldmanager/compare.h"
#include "api/fieldmanager/managed_fields.h"
#include "api/fieldmanager/typed_value.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

// Who gets the fields of an object that nobody's were when it is first applied to.
inline constexpr std::string_view kBeforeFirstApply = "before-first-apply";

// Who writes, through what, when and how.
struct FieldManager {
  std::string name;         // "" counts as "unknown"
  std::string api_version;  // of the resource: "asyncops.dev/v1alpha1"
  std::string subresource;  // "", "status", or the name of an action
  std::string time;         // RFC 3339, to the second
  bool is_apply = false;
};

// Sets metadata.managedFields of `new_object`, which a create, update or patch made of `old_object`
// (null at a create): the writer owns what it added or changed, and nobody else owns that or what
// is gone. The list that `new_object` brings counts where the writer may set it (not through a
// subresource) and it is sound; the old object's counts otherwise. An object without owners stays
// so until it is applied to, and one entry that is empty makes it so. Where nothing differs, the
// old object's list stays as it is.
void TrackUpdate(const FieldScope& scope, const FieldManager& manager, const Json* old_object,
                 Json* new_object);

// The same for a writer that goes through no endpoint and may change the object and its status at
// once (null for `old_object` at a create): it owns what it changed of the status through the
// subresource status, and all else through the object. `new_object` was made of the old one and
// has its list. Cheap where the writer writes fields again that it owns.
void TrackWholeUpdate(const Schema& schema, FieldManager manager, const Json* old_object,
                      Json* new_object);

// A field that somebody else owns and the configuration would change.
struct FieldConflict {
  ManagerEntry owner;  // without its fields
  Path path;
};

struct ApplyOutcome {
  // The new object with its managedFields; of use only without conflicts.
  Json object;
  // In the order of managers, then of fields.
  std::vector<FieldConflict> conflicts;
};

struct ApplyRequest {
  const FieldScope& scope;
  const FieldManager& manager;
  // Takes over what others own.
  bool force = false;
};

// Applies the configuration to an object, or to nothing (null). What the applier owned, does not
// apply any more, and nobody else owns is removed. The applier's time is the one that it had, if
// any: the caller sets it (SetApplyTime) once it knows that the object changes.
ApplyOutcome Apply(const ApplyRequest& request, const Json* old_object, const Json& configuration);

// Sets the time of the applier's entry.
void SetApplyTime(const FieldManager& manager, Json* object);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_UPDATER_H_
