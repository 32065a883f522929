#include "controllers/garbage_collector.h"

#include <algorithm>
#include <utility>

#include "api/meta/deletion.h"
#include "base/limits.h"
#include "base/log.h"
#include "controllers/owner_references.h"

namespace asyncops::controllers {
namespace {

constexpr std::string_view kEvents = "events";

// Where the dependents of an owner in this namespace can be.
bool MayHold(const ResourceInfo& resource, const std::string& owner_namespace) {
  return owner_namespace.empty() || resource.namespaced;
}

storage::ListQuery QueryOfDependents(const ResourceInfo& resource, const storage::OwnerName& owner,
                                     const std::string& owner_namespace) {
  storage::ListQuery query;
  query.resource = resource.GroupResource();
  query.namespace_name = owner_namespace;
  query.fields = storage::OwnedBy(owner);
  return query;
}

// Deletes what still names the same owners as when it was judged.
EditFunction DeleteWhile(const std::vector<storage::OwnerName>& owners,
                         std::optional<Propagation> policy, Time now) {
  return [owners, policy, now](const storage::ObjectKey& /*key*/, Json* object) {
    if (OwnersIn(*object) != owners || IsUnderDeletion(*object)) return Edit::kKeep;
    return EditOf(BeginDeletion(policy, now, object));
  };
}

// Whether it waits under deletion for one of our two finalizers.
bool IsHeldForDependents(const storage::EncodedPairs& fields) {
  return storage::IsHeldBy(fields, kForegroundFinalizer) ||
         storage::IsHeldBy(fields, kOrphanFinalizer);
}

EditFunction Release(std::string_view finalizer, std::string uid) {
  return [finalizer, uid = std::move(uid)](const storage::ObjectKey& /*key*/, Json* object) {
    const bool same = object->StringAt({"metadata", "uid"}) == uid;
    if (!same || !IsUnderDeletion(*object) || !HasFinalizer(*object, finalizer)) return Edit::kKeep;
    DropFinalizer(finalizer, object);
    return IsHeld(*object) ? Edit::kUpdate : Edit::kRemove;
  };
}

EditFunction WithoutOwners(std::set<std::string> uids) {
  return [uids = std::move(uids)](const storage::ObjectKey& /*key*/, Json* object) {
    const Json before = *object;
    DropOwners(uids, object);
    return *object == before ? Edit::kKeep : Edit::kUpdate;
  };
}

std::string UidOf(const Json& object) { return std::string(object.StringAt({"metadata", "uid"})); }

}  // namespace

bool GarbageCollector::HasRoom(std::size_t size) {
  if (size < queue_bound_) return true;
  // From the beginning: what is left out may lie behind where a scan is.
  scan_ = Position{};
  return false;
}

void GarbageCollector::QueueObject(const storage::ObjectKey& key) {
  if (queued_.contains(key) || !HasRoom(objects_.size())) return;
  queued_.insert(key);
  objects_.push_back(key);
}

void GarbageCollector::QueueWaiting(const std::vector<storage::OwnerName>& owners) {
  for (const storage::OwnerName& owner : owners) {
    const auto found = waiting_.find(owner.uid);
    if (found != waiting_.end()) QueueObject(found->second.key);
  }
}

Result<bool> GarbageCollector::HasFallen(const std::string& namespace_name,
                                         const std::vector<storage::OwnerName>& owners,
                                         std::set<Owner>* standing) const {
  for (const storage::OwnerName& name : owners) {
    const Owner owner{.name = name, .namespace_name = namespace_name};
    if (standing->contains(owner)) continue;
    const Result<OwnerState> state = StateOfOwner(store_, namespace_name, name);
    if (!state.ok()) return state.status();
    if (*state != OwnerState::kSolid) return true;
    standing->insert(owner);
  }
  return false;
}

void GarbageCollector::StartScan() {
  waiting_.clear();
  scan_ = Position{};
}

void GarbageCollector::Observe(const storage::Change& change) {
  const storage::Record& record = change.record;
  const std::vector<storage::OwnerName> owners = storage::OwnersOf(record.fields);
  if (change.type == storage::ChangeType::kDeleted) {
    waiting_.erase(record.uid);
    QueueWaiting(owners);
    // Nothing is owned by an Event, and they go by the thousand.
    const ResourceInfo* resource = ResourceOf(record.key);
    if (resource == nullptr || record.key.resource == kEvents || !HasRoom(sweeps_.size())) return;
    Sweep& sweep = sweeps_.emplace_back();
    sweep.owner = {.name = AsOwner(*resource, record.key.name, record.uid),
                   .namespace_name = record.key.namespace_name};
    return;
  }
  if (IsHeldForDependents(record.fields)) QueueObject(record.key);
  const std::vector<storage::OwnerName> before = change.previous_fields
                                                     ? storage::OwnersOf(*change.previous_fields)
                                                     : std::vector<storage::OwnerName>();
  if (owners != before && !owners.empty() && HasRoom(changed_.size()))
    changed_.push_back({.key = record.key, .owners = owners});
  if (waiting_.empty()) return;
  QueueWaiting(owners);
  QueueWaiting(before);
}

Result<bool> GarbageCollector::Work() {
  if (!changed_.empty()) {
    ASYNCOPS_RETURN_IF_ERROR(WorkOnChanged());
    return true;
  }
  if (!objects_.empty()) {
    ASYNCOPS_RETURN_IF_ERROR(WorkOnObjects());
    return true;
  }
  if (!sweeps_.empty()) {
    ASYNCOPS_RETURN_IF_ERROR(WorkOnSweep());
    return true;
  }
  if (!scan_) return false;
  ASYNCOPS_RETURN_IF_ERROR(WorkOnScan());
  return true;
}

// Most owners stand, which is known without reading their dependents.
Status GarbageCollector::WorkOnChanged() {
  std::set<Owner> standing;
  for (int i = 0; i < kEditBatch && !changed_.empty(); ++i) {
    const Changed& changed = changed_.front();
    const Result<bool> fallen = HasFallen(changed.key.namespace_name, changed.owners, &standing);
    if (!fallen.ok()) return fallen.status();
    if (*fallen) QueueObject(changed.key);
    changed_.pop_front();
  }
  return Status::Ok();
}

Status GarbageCollector::WorkOnObjects() {
  const auto count = std::min<std::ptrdiff_t>(kEditBatch, std::ssize(objects_));
  const std::vector<storage::ObjectKey> batch(objects_.begin(), objects_.begin() + count);
  // Whatever is queued from here on is queued behind them.
  objects_.erase(objects_.begin(), objects_.begin() + count);
  for (const storage::ObjectKey& key : batch) queued_.erase(key);
  std::map<storage::ObjectKey, EditFunction> edits;
  std::vector<storage::ObjectKey> keys;
  Status status;
  for (const storage::ObjectKey& key : batch) {
    Result<Plan> plan = Judge(key);
    if (!plan.ok()) status = plan.status();
    if (!plan.ok() || !plan->edit) continue;
    Log(LogLevel::kDebug, "collecting garbage",
        {{"resource", key.resource},
         {"namespace", key.namespace_name},
         {"name", key.name},
         {"reason", plan->reason}});
    keys.push_back(key);
    edits.emplace(key, std::move(plan->edit));
  }
  if (status.ok()) {
    status = EditObjects(store_, clock_.Now(), keys,
                         [&edits](const storage::ObjectKey& key, Json* object) {
                           return edits.at(key)(key, object);
                         });
  }
  if (status.ok()) return status;
  for (const storage::ObjectKey& key : batch) QueueObject(key);
  return status;
}

Result<storage::ListPage> GarbageCollector::NextPage(storage::ListQuery query, Position* at) const {
  query.after_namespace = at->after_namespace;
  query.after_name = at->after_name;
  Result<storage::ListPage> page = store_.List(query);
  if (!page.ok()) return page.status();
  if (page->more && !page->rows.empty()) {
    at->after_namespace = page->rows.back().key.namespace_name;
    at->after_name = page->rows.back().key.name;
  } else {
    *at = {.resource = at->resource + 1, .after_namespace = "", .after_name = ""};
  }
  return page;
}

// One page of one resource at a time: an owner may have any number of dependents.
Status GarbageCollector::WorkOnSweep() {
  Sweep& sweep = sweeps_.front();
  const std::vector<ResourceInfo>& resources = AllResources();
  if (sweep.at.resource == resources.size()) {
    sweeps_.pop_front();
    return Status::Ok();
  }
  const ResourceInfo& resource = resources[sweep.at.resource];
  if (!MayHold(resource, sweep.owner.namespace_name)) {
    ++sweep.at.resource;
    return Status::Ok();
  }
  storage::ListQuery query =
      QueryOfDependents(resource, sweep.owner.name, sweep.owner.namespace_name);
  query.parts.json = false;
  const Result<storage::ListPage> page = NextPage(std::move(query), &sweep.at);
  if (!page.ok()) return page.status();
  for (const storage::Record& row : page->rows) QueueObject(row.key);
  return Status::Ok();
}

// The queues are empty: what a page brings fits, unless they are shorter than a page.
Status GarbageCollector::WorkOnScan() {
  const std::vector<ResourceInfo>& resources = AllResources();
  if (scan_->resource == resources.size()) {
    scan_.reset();
    return Status::Ok();
  }
  storage::ListQuery query;
  query.resource = resources[scan_->resource].GroupResource();
  query.limit = static_cast<int>(std::min<std::size_t>(kMaxRowsPerRead, queue_bound_));
  query.parts.json = false;
  query.parts.values = true;
  const Result<storage::ListPage> page = NextPage(std::move(query), &*scan_);
  if (!page.ok()) return page.status();
  std::set<Owner> standing;
  for (const storage::Record& row : page->rows) {
    const Result<bool> fallen =
        HasFallen(row.key.namespace_name, storage::OwnersOf(row.fields), &standing);
    if (!fallen.ok()) return fallen.status();
    if (*fallen || IsHeldForDependents(row.fields)) QueueObject(row.key);
  }
  return Status::Ok();
}

Result<GarbageCollector::Plan> GarbageCollector::Judge(const storage::ObjectKey& key) {
  const Result<std::optional<Json>> read = ReadMetadata(store_, key);
  if (!read.ok()) return read.status();
  if (!*read) return Plan{};
  const Json& object = **read;
  if (!IsUnderDeletion(object)) return JudgeDependent(key, object);
  return JudgeOwner(key, object);
}

Result<GarbageCollector::Plan> GarbageCollector::JudgeOwner(const storage::ObjectKey& key,
                                                            const Json& object) {
  const ResourceInfo* resource = ResourceOf(key);
  if (resource == nullptr) return Plan{};
  const Owner owner{.name = AsOwner(*resource, key.name, UidOf(object)),
                    .namespace_name = key.namespace_name};
  if (HasFinalizer(object, kOrphanFinalizer)) return LetGoOfDependents(key, owner);
  if (HasFinalizer(object, kForegroundFinalizer)) return AwaitDependents(key, object, owner);
  waiting_.erase(owner.name.uid);
  return Plan{};
}

// A page at a time: what is let go of is not found again.
Result<GarbageCollector::Plan> GarbageCollector::LetGoOfDependents(const storage::ObjectKey& key,
                                                                   const Owner& owner) {
  std::vector<storage::ObjectKey> dependents;
  const auto take = [&dependents](const std::vector<storage::Record>& rows) -> Result<bool> {
    for (const storage::Record& row : rows) dependents.push_back(row.key);
    return false;
  };
  ASYNCOPS_RETURN_IF_ERROR(ForEachDependent(owner, take));
  bool went_on = false;
  ASYNCOPS_RETURN_IF_ERROR(EditObjects(store_, clock_.Now(), dependents,
                                       [&went_on, forget = WithoutOwners({owner.name.uid})](
                                           const storage::ObjectKey& dependent, Json* object) {
                                         const Edit edit = forget(dependent, object);
                                         went_on = went_on || edit != Edit::kKeep;
                                         return edit;
                                       }));
  for (const storage::ObjectKey& dependent : dependents)
    went_on = went_on || store_.Get(dependent).status().reason() == Reason::kNotFound;
  if (went_on) {
    QueueObject(key);
    return Plan{};
  }
  // None is left, or none but damaged ones: who waited for these would wait for ever.
  return Plan{.reason = "its dependents were orphaned",
              .edit = Release(kOrphanFinalizer, owner.name.uid)};
}

Result<GarbageCollector::Plan> GarbageCollector::AwaitDependents(const storage::ObjectKey& key,
                                                                 const Json& object,
                                                                 const Owner& owner) {
  Waiting& waiting = waiting_.emplace(owner.name.uid, Waiting{.key = key}).first->second;
  if (!WaitsForDependents(object)) return Plan{};
  // All of them are told once.
  if (!waiting.swept && HasRoom(sweeps_.size())) sweeps_.push_back({.owner = owner, .at = {}});
  waiting.swept = true;
  // One that blocks is enough to know.
  bool blocked = false;
  const auto look = [&owner, &blocked](const std::vector<storage::Record>& rows) -> Result<bool> {
    // What owns itself waits for nobody.
    blocked = std::any_of(rows.begin(), rows.end(), [&owner](const storage::Record& row) {
      return row.uid != owner.name.uid && BlocksOwner(MetadataOf(row), owner.name.uid);
    });
    return !blocked;
  };
  ASYNCOPS_RETURN_IF_ERROR(ForEachDependent(owner, look));
  if (blocked) return Plan{};
  return Plan{.reason = "its dependents are gone",
              .edit = Release(kForegroundFinalizer, owner.name.uid)};
}

Result<GarbageCollector::Plan> GarbageCollector::JudgeDependent(const storage::ObjectKey& key,
                                                                const Json& object) {
  const std::vector<storage::OwnerName> owners = OwnersIn(object);
  std::set<std::string> absent;
  std::set<std::string> waiting;
  for (const storage::OwnerName& owner : owners) {
    const Result<OwnerState> state = StateOfOwner(store_, key.namespace_name, owner);
    if (!state.ok()) return state.status();
    if (*state == OwnerState::kAbsent) absent.insert(owner.uid);
    if (*state == OwnerState::kWaiting) waiting.insert(owner.uid);
  }
  if (absent.empty() && waiting.empty()) return Plan{};
  if (absent.size() + waiting.size() < owners.size()) {
    absent.merge(waiting);
    return Plan{.reason = "not all of its owners are left", .edit = WithoutOwners(absent)};
  }
  if (!waiting.empty()) return DeleteBeforeOwner(key, object, std::move(waiting));
  return Plan{.reason = "none of its owners is left",
              .edit = DeleteWhile(owners, std::nullopt, clock_.Now())};
}

// What has dependents itself waits for them in its turn. In a circle somebody has to begin: where a
// dependent waits already, this object blocks its owner no more.
Result<GarbageCollector::Plan> GarbageCollector::DeleteBeforeOwner(const storage::ObjectKey& key,
                                                                   const Json& object,
                                                                   std::set<std::string> waiting) {
  const Owner self{.name = AsOwner(*ResourceOf(key), key.name, UidOf(object)),
                   .namespace_name = key.namespace_name};
  bool owns = false;
  bool circle = false;
  const auto look = [&owns, &circle](const std::vector<storage::Record>& rows) -> Result<bool> {
    owns = true;
    for (const storage::Record& row : rows) {
      circle = WaitsForDependents(MetadataOf(row));
      if (circle) return false;
    }
    return true;
  };
  ASYNCOPS_RETURN_IF_ERROR(ForEachDependent(self, look));
  const std::optional<Propagation> policy =
      owns ? std::optional(Propagation::kForeground) : std::nullopt;
  EditFunction remove = DeleteWhile(OwnersIn(object), policy, clock_.Now());
  if (!circle) return Plan{.reason = "its owner waits for it", .edit = std::move(remove)};
  auto unblock = [waiting = std::move(waiting), remove = std::move(remove)](
                     const storage::ObjectKey& edited, Json* dependent) {
    UnblockOwners(waiting, dependent);
    return remove(edited, dependent);
  };
  return Plan{.reason = "its owner waits for it, in a circle", .edit = std::move(unblock)};
}

Status GarbageCollector::ForEachDependent(const Owner& owner, const PageFunction& page) const {
  bool going = true;
  for (const ResourceInfo& resource : AllResources()) {
    if (!going) break;
    if (!MayHold(resource, owner.namespace_name)) continue;
    const auto step = [&going, &page](const std::vector<storage::Record>& rows) -> Result<bool> {
      const Result<bool> go_on = page(rows);
      going = go_on.ok() && *go_on;
      return go_on;
    };
    ASYNCOPS_RETURN_IF_ERROR(
        ForEachPage(store_, QueryOfDependents(resource, owner.name, owner.namespace_name), step));
  }
  return Status::Ok();
}

}  // namespace asyncops::controllers
