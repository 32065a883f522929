#include "api/fieldmanager/updater.h"

#include <algorithm>
#include <utility>

#include "api/fieldmanager/merge.h"

namespace asyncops::fieldmanager {
namespace {

constexpr std::string_view kManagedFields = "managedFields";
constexpr std::string_view kStatus = "status";

const Json* ListOf(const Json& object) { return object.FindPath({"metadata", kManagedFields}); }

void SetList(Json list, Json* object) {
  JsonObject& metadata = object->ObjectAt("metadata");
  if (list.is_null()) {
    metadata.Erase(kManagedFields);
  } else {
    metadata.Set(kManagedFields, std::move(list));
  }
}

// None where the list is absent or does not decode: a broken list must not keep anybody from
// writing.
ManagerEntries EntriesOf(const Json* list) {
  if (list == nullptr) return {};
  Result<ManagerEntries> entries = DecodeManagedFields(*list);
  return entries.ok() ? *std::move(entries) : ManagerEntries();
}

ManagerEntry EntryOf(const FieldManager& manager) {
  ManagerEntry entry;
  entry.manager = manager.name.empty() ? "unknown" : manager.name;
  entry.is_applied = manager.is_apply;
  entry.api_version = manager.api_version;
  entry.subresource = manager.subresource;
  return entry;
}

ManagerEntries::iterator FindManager(ManagerEntries& entries, const ManagerEntry& entry) {
  return std::find_if(entries.begin(), entries.end(),
                      [&entry](const ManagerEntry& other) { return other.IsSameManager(entry); });
}

// Field names of another version mean nothing in this one.
void DropOtherVersions(const FieldManager& manager, ManagerEntries* entries) {
  std::erase_if(*entries, [&manager](const ManagerEntry& entry) {
    return entry.api_version != manager.api_version;
  });
}

void DropEmpty(ManagerEntries* entries) {
  std::erase_if(*entries, [](const ManagerEntry& entry) { return entry.fields.empty(); });
}

// The writer owns what the comparison found new or changed; the others lose that.
void TakeOver(const FieldManager& manager, Comparison comparison, ManagerEntries* entries) {
  DropOtherVersions(manager, entries);
  for (ManagerEntry& entry : *entries) {
    entry.fields.Remove(comparison.added);
    entry.fields.Remove(comparison.modified);
    entry.fields.Remove(comparison.removed);
  }
  FieldSet taken = std::move(comparison.added);
  taken.Add(comparison.modified);
  if (!taken.empty()) {
    ManagerEntry self = EntryOf(manager);
    auto entry = FindManager(*entries, self);
    if (entry == entries->end()) entry = entries->insert(entry, std::move(self));
    entry->fields.Add(taken);
    entry->time = manager.time;
  }
  DropEmpty(entries);
  CapUpdateManagers(entries);
}

// Removes what the applier owned, applies no more, and nobody else owns. `last` is what it owned.
// An object or list that the schema names is not owned itself: it goes once it is empty, so that
// what is nobody's in it (a finalizer of this process) stays. Whether there was anything to remove.
bool Prune(const FieldScope& scope, FieldSet last, const ManagerEntries& entries, Json* merged) {
  FieldSet owned;
  for (const ManagerEntry& entry : entries) owned.Add(entry.fields);
  last.Remove(WithNamedFields(scope.schema, owned));
  if (last.empty()) return false;
  RemoveFields(scope.schema, last, merged);
  return true;
}

std::vector<FieldConflict> ConflictsOf(const ManagerEntries& entries, const ManagerEntry& self,
                                       const FieldSet& changed) {
  std::vector<FieldConflict> conflicts;
  for (const ManagerEntry& entry : entries) {
    if (entry.IsSameManager(self)) continue;
    ManagerEntry owner = entry;
    owner.fields = FieldSet();
    for (Path& path : entry.fields.Intersection(changed).Paths())
      conflicts.push_back({owner, std::move(path)});
  }
  return conflicts;
}

// The owners of what is there when the first configuration comes.
ManagerEntries FirstEntries(const ApplyRequest& request, const Json& object) {
  FieldManager before = request.manager;
  before.name = kBeforeFirstApply;
  before.is_apply = false;
  ManagerEntries entries;
  TakeOver(before, Compare(request.scope, nullptr, object), &entries);
  return entries;
}

// The list after the manager's write, from the list before it; null where there are no owners, or
// the list is broken.
Json ListAfter(const FieldManager& manager, Comparison comparison, const Json& list) {
  JsonArray others;
  Result<ManagerEntries> entries =
      DecodeConcerned(list, EntryOf(manager),
                      {&comparison.added, &comparison.modified, &comparison.removed}, &others);
  if (!entries.ok() || (entries->empty() && others.empty())) return nullptr;
  TakeOver(manager, std::move(comparison), &*entries);
  return EncodeManagedFields(*std::move(entries), std::move(others));
}

// What TrackWholeUpdate does for one endpoint.
void TrackPart(const FieldScope& scope, const FieldManager& manager, const Json* old_object,
               Json* new_object) {
  Comparison comparison = Compare(scope, old_object, *new_object);
  if (comparison.empty()) return;
  Json* list = new_object->ObjectAt("metadata").Find(kManagedFields);
  if (list == nullptr) {
    // Only a new object gets its first owner so.
    if (old_object != nullptr) return;
    ManagerEntries entries;
    TakeOver(manager, std::move(comparison), &entries);
    return SetList(EncodeManagedFields(std::move(entries)), new_object);
  }
  const bool owns_all =
      comparison.removed.empty() &&
      RenewEntry(EntryOf(manager), manager.time, {&comparison.added, &comparison.modified}, list);
  if (!owns_all) SetList(ListAfter(manager, std::move(comparison), *list), new_object);
}

}  // namespace

void TrackUpdate(const FieldScope& scope, const FieldManager& manager, const Json* old_object,
                 Json* new_object) {
  const Json* live = old_object == nullptr ? nullptr : ListOf(*old_object);
  const Json* given = manager.subresource.empty() ? ListOf(*new_object) : nullptr;
  ManagerEntries entries;
  bool is_given = false;
  if (given != nullptr && IsReset(*given)) {
    is_given = true;
  } else if (given != nullptr && (live == nullptr || !(*given == *live))) {
    entries = EntriesOf(given);
    is_given = !entries.empty();
  }
  const bool is_live = !is_given && live != nullptr && !live->is_null();
  if (old_object != nullptr && !is_live && entries.empty()) return SetList(nullptr, new_object);

  Comparison comparison = Compare(scope, old_object, *new_object);
  if (comparison.empty() && is_live) return SetList(*live, new_object);
  if (is_live) return SetList(ListAfter(manager, std::move(comparison), *live), new_object);
  TakeOver(manager, std::move(comparison), &entries);
  SetList(EncodeManagedFields(std::move(entries)), new_object);
}

void TrackWholeUpdate(const Schema& schema, FieldManager manager, const Json* old_object,
                      Json* new_object) {
  manager.subresource.clear();
  TrackPart({schema, false}, manager, old_object, new_object);
  manager.subresource = kStatus;
  // The part before made the owners of a new object, if it has any.
  TrackPart({schema, true}, manager, old_object, new_object);
}

ApplyOutcome Apply(const ApplyRequest& request, const Json* old_object, const Json& configuration) {
  const FieldScope& scope = request.scope;
  ApplyOutcome outcome;
  ManagerEntries entries;
  if (old_object != nullptr) {
    outcome.object = *old_object;
    entries = EntriesOf(ListOf(*old_object));
    if (entries.empty()) entries = FirstEntries(request, *old_object);
    DropOtherVersions(request.manager, &entries);
  } else {
    outcome.object = JsonObject();
  }
  MergeConfiguration(scope.schema, configuration, &outcome.object);

  ManagerEntry self = EntryOf(request.manager);
  self.is_applied = true;
  self.fields = AppliedFields(scope, configuration);
  FieldSet last;
  if (const auto previous = FindManager(entries, self); previous != entries.end()) {
    last = std::move(previous->fields);
    self.time = previous->time;
    entries.erase(previous);
  }
  entries.push_back(self);
  if (!last.empty() && Prune(scope, std::move(last), entries, &outcome.object)) {
    // A map or list that is applied empty may have gone with its last part.
    MergeConfiguration(scope.schema, configuration, &outcome.object);
  }

  Comparison comparison = Compare(scope, old_object, outcome.object);
  FieldSet changed = std::move(comparison.added);
  changed.Add(comparison.modified);
  if (!request.force) outcome.conflicts = ConflictsOf(entries, self, changed);
  if (!outcome.conflicts.empty()) return outcome;
  for (ManagerEntry& entry : entries) {
    if (entry.IsSameManager(self)) continue;
    entry.fields.Remove(changed);
    entry.fields.Remove(comparison.removed);
  }
  DropEmpty(&entries);
  SetList(EncodeManagedFields(std::move(entries)), &outcome.object);
  return outcome;
}

void SetApplyTime(const FieldManager& manager, Json* object) {
  ManagerEntries entries = EntriesOf(ListOf(*object));
  ManagerEntry applier = EntryOf(manager);
  applier.is_applied = true;
  const auto self = FindManager(entries, applier);
  if (self == entries.end()) return;
  self->time = manager.time;
  SetList(EncodeManagedFields(std::move(entries)), object);
}

}  // namespace asyncops::fieldmanager
