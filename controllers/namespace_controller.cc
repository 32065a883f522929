#include "controllers/namespace_controller.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/meta/deletion.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/scheme.h"
#include "base/log.h"
#include "controllers/object_edit.h"

namespace asyncops::controllers {
namespace {

constexpr std::string_view kNamespaces = "namespaces";
constexpr std::string_view kEvents = "events";
// How long something that was overlooked (an object made by the engine meanwhile) may stay so.
constexpr std::chrono::seconds kLookAgain{5};

storage::ObjectKey KeyOfNamespace(const std::string& name) {
  return {.resource = std::string(kNamespaces), .namespace_name = "", .name = name};
}

int Rank(const ResourceInfo& resource) {
  if (resource.plural == "asyncresources") return 0;
  if (resource.plural == kAsyncOperations) return 1;
  return resource.plural == kEvents ? 3 : 2;
}

std::vector<std::string> Stages() {
  std::vector<const ResourceInfo*> resources;
  for (const ResourceInfo& resource : AllResources())
    if (resource.namespaced) resources.push_back(&resource);
  std::stable_sort(
      resources.begin(), resources.end(),
      [](const ResourceInfo* a, const ResourceInfo* b) { return Rank(*a) < Rank(*b); });
  std::vector<std::string> names;
  names.reserve(resources.size());
  for (const ResourceInfo* resource : resources) names.push_back(resource->GroupResource());
  return names;
}

void Count(const std::string& resource, const Json& object, Remaining* remaining) {
  ++remaining->resources[resource];
  const Json* finalizers = object.FindPath({"metadata", "finalizers"});
  if (finalizers == nullptr || !finalizers->is_array()) return;
  for (const Json& finalizer : finalizers->as_array())
    if (finalizer.is_string()) ++remaining->finalizers[finalizer.as_string()];
}

// The namespace without our finalizer.
Edit LetGo(Json* object) {
  if (!IsUnderDeletion(*object)) return Edit::kKeep;
  const Json before = *object;
  Json* finalizers = object->ObjectAt("spec").Find("finalizers");
  if (finalizers != nullptr && finalizers->is_array()) {
    std::erase_if(finalizers->as_array(), [](const Json& item) {
      return item.is_string() && item.as_string() == kNamespaceFinalizer;
    });
  }
  if (!IsHeld(*object)) return Edit::kRemove;
  return *object == before ? Edit::kKeep : Edit::kUpdate;
}

}  // namespace

NamespaceController::NamespaceController(storage::Store& store, const Clock& clock)
    : store_(store), clock_(clock), stages_(Stages()) {}

Status NamespaceController::Scan(const std::stop_token& stop) {
  storage::ListQuery query;
  query.resource = kNamespaces;
  query.fields.requirements.push_back(
      {.field = "status.phase", .equal = true, .value = "Terminating"});
  query.parts.json = false;
  return ForEachPage(store_, std::move(query),
                     [this, &stop](const std::vector<storage::Record>& rows) -> Result<bool> {
                       for (const storage::Record& row : rows) emptying_.try_emplace(row.key.name);
                       return !stop.stop_requested();
                     });
}

void NamespaceController::Observe(const storage::Change& change) {
  const storage::Record& record = change.record;
  const bool deleted = change.type == storage::ChangeType::kDeleted;
  if (record.key.resource == kNamespaces) {
    if (deleted) {
      if (emptying_.erase(record.key.name) > 0) gone_.try_emplace(record.key.name);
    } else if (storage::FindPair(record.fields.text(), "status.phase") == "Terminating") {
      emptying_.try_emplace(record.key.name);
    }
    return;
  }
  if (!deleted || emptying_.empty()) return;
  const auto found = emptying_.find(record.key.namespace_name);
  if (found != emptying_.end()) found->second.changed = true;
}

Result<bool> NamespaceController::Work() {
  if (!gone_.empty()) return WorkOnGone();
  for (auto& [name, emptying] : emptying_) {
    const bool due = !emptying.next_look || *emptying.next_look <= clock_.SteadyNow();
    if (!emptying.changed && !due) continue;
    const std::string of = name;  // Advance may end it
    ASYNCOPS_RETURN_IF_ERROR(Advance(of, &emptying));
    return true;
  }
  return false;
}

Status NamespaceController::Advance(const std::string& name, Emptying* emptying) {
  const Result<std::optional<Json>> present = ReadMetadata(store_, KeyOfNamespace(name));
  if (!present.ok()) return present.status();
  if (!*present || !IsUnderDeletion(**present)) {
    // Another one of this name: its content is none of ours. Nobody else ends a deletion, so this
    // holds until we are done here.
    emptying_.erase(name);
    return Status::Ok();
  }
  if (emptying->stage == stages_.size()) return Finish(name);
  const std::string& resource = stages_[emptying->stage];
  const bool due = !emptying->next_look || *emptying->next_look <= clock_.SteadyNow();
  if (due) ASYNCOPS_RETURN_IF_ERROR(Look(resource, name, emptying));
  // The look goes on with the next call.
  if (!emptying->after_name.empty()) return Status::Ok();
  emptying->changed = false;
  const Result<bool> empty = IsEmpty(resource, name);
  if (!empty.ok()) return empty.status();
  if (!*empty) return Status::Ok();
  ++emptying->stage;
  emptying->changed = true;
  emptying->next_look.reset();
  return Status::Ok();
}

Result<bool> NamespaceController::WorkOnGone() {
  auto& [name, after_name] = *gone_.begin();
  const Result<std::optional<Json>> successor = ReadMetadata(store_, KeyOfNamespace(name));
  if (!successor.ok()) return successor.status();
  Result<bool> more = false;
  Remaining remaining;
  if (!*successor) more = EmptyPage(std::string(kEvents), name, &after_name, &remaining);
  if (!more.ok()) return more.status();
  if (!*more) gone_.erase(gone_.begin());
  return true;
}

Status NamespaceController::Look(const std::string& resource, const std::string& name,
                                 Emptying* emptying) {
  const Result<bool> more = EmptyPage(resource, name, &emptying->after_name, &emptying->remaining);
  if (more.ok() && *more) return Status::Ok();
  const std::string failure = more.ok() ? "" : more.status().message();
  emptying->after_name.clear();
  emptying->next_look = clock_.SteadyNow() + kLookAgain;
  const Remaining remaining = std::exchange(emptying->remaining, Remaining());
  if (failure.empty() && remaining.resources.empty()) return Status::Ok();
  return Report(name, remaining, failure);
}

Result<bool> NamespaceController::EmptyPage(const std::string& resource, const std::string& name,
                                            std::string* after_name, Remaining* remaining) {
  storage::ListQuery query;
  query.resource = resource;
  query.namespace_name = name;
  query.after_namespace = after_name->empty() ? "" : name;
  query.after_name = *after_name;
  const Result<storage::ListPage> page = store_.List(query);
  if (!page.ok()) return page.status();
  const Time now = clock_.Now();
  std::vector<storage::ObjectKey> keys;
  for (const storage::Record& row : page->rows) {
    const Json metadata = MetadataOf(row);
    if (IsUnderDeletion(metadata)) {
      Count(resource, metadata, remaining);
    } else {
      keys.push_back(row.key);
    }
  }
  // A second try of the same object counts it once.
  std::map<storage::ObjectKey, Json> held;
  const auto remove = [&held, now](const storage::ObjectKey& key, Json* object) {
    const Edit edit = EditOf(BeginDeletion(Propagation::kBackground, now, object));
    held.erase(key);
    if (edit != Edit::kRemove) held.emplace(key, *object);
    return edit;
  };
  ASYNCOPS_RETURN_IF_ERROR(EditObjects(store_, clock_.Now(), keys, remove));
  for (const auto& [key, object] : held) Count(resource, object, remaining);
  if (page->rows.empty() || !page->more) return false;
  *after_name = page->rows.back().key.name;
  return true;
}

Result<bool> NamespaceController::IsEmpty(const std::string& resource,
                                          const std::string& name) const {
  storage::ListQuery query;
  query.resource = resource;
  query.namespace_name = name;
  query.limit = 1;
  query.parts.json = false;
  const Result<storage::ListPage> page = store_.List(query);
  if (!page.ok()) return page.status();
  return page->rows.empty();
}

Status NamespaceController::Report(const std::string& name, const Remaining& remaining,
                                   const std::string& failure) {
  if (!failure.empty()) {
    Log(LogLevel::kWarning, "emptying a namespace failed",
        {{"namespace", name}, {"error", failure}});
  }
  const Time now = clock_.Now();
  const auto report = [&remaining, &failure, now](const storage::ObjectKey& /*key*/, Json* object) {
    if (!IsUnderDeletion(*object)) return Edit::kKeep;
    const Json before = *object;
    SetNamespaceConditions(remaining, failure, now, object);
    return *object == before ? Edit::kKeep : Edit::kUpdate;
  };
  return EditObject(store_, now, KeyOfNamespace(name), report);
}

Status NamespaceController::Finish(const std::string& name) {
  // Where finalizers of others hold the namespace, their owners finish it.
  const Time now = clock_.Now();
  bool emptied = false;
  const auto let_go = [now, &emptied](const storage::ObjectKey& /*key*/, Json* object) {
    const Edit edit = LetGo(object);
    emptied = edit != Edit::kKeep;
    if (edit == Edit::kUpdate) SetNamespaceConditions(Remaining(), "", now, object);
    return edit;
  };
  ASYNCOPS_RETURN_IF_ERROR(EditObject(store_, now, KeyOfNamespace(name), let_go));
  if (emptied) Log(LogLevel::kInfo, "emptied a namespace", {{"namespace", name}});
  emptying_.erase(name);
  gone_.try_emplace(name);
  return Status::Ok();
}

}  // namespace asyncops::controllers
