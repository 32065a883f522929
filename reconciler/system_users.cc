#include "reconciler/system_users.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/meta/field_selector.h"
#include "api/schema/binding.h"
#include "reconciler/annotations.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"
#include "reconciler/transition.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kShownNames = 3;
constexpr std::string_view kFinalStates[] = {state::kSucceeded, state::kFailed, state::kCanceled};
constexpr std::string_view kLiveStates[] = {
    state::kPending, state::kIntent,     state::kSubmitted,      state::kRunning,  state::kFetching,
    state::kBackoff, state::kRecovering, state::kOutcomeUnknown, state::kCanceling};

bool Holds(const ObjectMeta& meta, std::string_view finalizer) {
  return std::find(meta.finalizers.begin(), meta.finalizers.end(), finalizer) !=
         meta.finalizers.end();
}

Result<ObjectMeta> MetadataIn(const Json& object) {
  ObjectMeta meta;
  if (const Json* present = object.Find("metadata"))
    ASYNCOPS_RETURN_IF_ERROR(Codec<ObjectMeta>::Decode(*present, &meta));
  return meta;
}

// Nobody counts the operations of a resource that is counted itself.
class OperationCount {
 public:
  using Names = std::set<std::string, std::less<>>;
  OperationCount(const ObjectName& system, const storage::Store& store, Names resources)
      : system_(system), store_(store), resources_(std::move(resources)) {}

  // Those of the system that are in this state.
  Status CountIn(std::string_view state) {
    return Count({{.field = "status.state", .equal = true, .value = std::string(state)}});
  }
  // All that have not ended, at one moment.
  Status CountLive() {
    std::vector<FieldRequirement> live;
    for (const std::string_view ended : kFinalStates)
      live.push_back({.field = "status.state", .equal = false, .value = std::string(ended)});
    return Count(std::move(live));
  }
  const SystemUserList& found() const { return found_; }

 private:
  Status Count(std::vector<FieldRequirement> requirements) {
    FieldSelector selector{.requirements = std::move(requirements)};
    selector.requirements.push_back(
        {.field = "spec.externalSystemRef.name", .equal = true, .value = system_.name});
    const Result<storage::Revision> listed =
        ForEachObject(store_, OperationResource().GroupResource(), system_.namespace_name, selector,
                      [this](const storage::Record& record) { Take(record); });
    return listed.ok() ? damaged_ : listed.status();
  }

  void Take(const storage::Record& record) {
    const std::string_view fields = record.fields.text();
    const bool owned = storage::FindPair(fields, "spec.resourceRef.kind") == "AsyncResource";
    if (owned && resources_.contains(storage::FindPair(fields, "spec.resourceRef.name"))) return;
    const Result<Json> object = ParseJson(record.json);
    const Result<ObjectMeta> meta =
        object.ok() ? MetadataIn(*object) : Result<ObjectMeta>(object.status());
    if (!meta.ok()) {
      damaged_ = meta.status();
      return;
    }
    // What lost our finalizers in its deletion is over for us, whoever else holds it.
    const bool ours = Holds(*meta, kOperationFinalizer) || Holds(*meta, kTrackingFinalizer);
    if (ours || !meta->deletion_timestamp) found_.Add(*meta);
  }

  const ObjectName& system_;
  const storage::Store& store_;
  const Names resources_;
  SystemUserList found_;
  Status damaged_;
};

std::string Named(std::string_view kind, const SystemUserList& users) {
  if (users.count == 1) return std::string(kind) + " " + users.first.front();
  std::string text = std::to_string(users.count) + " " + std::string(kind) + "s (";
  for (std::size_t i = 0; i < users.first.size(); ++i)
    text += (i == 0 ? "" : ", ") + users.first[i];
  const bool more = users.count > static_cast<std::int64_t>(users.first.size());
  return text + (more ? ", ...)" : ")");
}

}  // namespace

void SystemUserList::Add(const ObjectMeta& user) {
  ++count;
  if (first.size() < kShownNames) first.push_back(user.name);
  if (staying.empty() && !user.deletion_timestamp) staying = user.name;
}

Result<std::optional<ObjectMeta>> UserOf(const Json& resource, const std::string& system) {
  if (resource.StringAt({"spec", "externalSystemRef", "name"}) != system)
    return std::optional<ObjectMeta>();
  Result<ObjectMeta> meta = MetadataIn(resource);
  if (!meta.ok()) return meta.status();
  return std::optional<ObjectMeta>(*std::move(meta));
}

Result<SystemUsers> FindSystemUsers(const ObjectName& system, const storage::Store& store,
                                    ResourceClient& resources) {
  const Result<std::vector<ObjectMeta>> referring = resources.ListResourcesOf(system);
  if (!referring.ok()) return referring.status();
  SystemUsers users;
  std::set<std::string, std::less<>> names;
  for (const ObjectMeta& resource : *referring) {
    if (!Holds(resource, kResourceFinalizer)) continue;
    users.resources.Add(resource);
    names.insert(resource.name);
  }
  OperationCount operations(system, store, std::move(names));
  // State by state, as those that ended may be many.
  for (const std::string_view state : kLiveStates)
    ASYNCOPS_RETURN_IF_ERROR(operations.CountIn(state));
  // One that went from a state to another meanwhile may have been missed, as is one that nobody has
  // looked at, which has no state. Before the system is let go, and so once, all are asked for.
  if (users.resources.count == 0 && operations.found().count == 0)
    ASYNCOPS_RETURN_IF_ERROR(operations.CountLive());
  users.operations = operations.found();
  return users;
}

std::string ExplainUsers(const ObjectName& system, const SystemUsers& users, const Status& check) {
  std::string text = "it is used by ";
  if (users.resources.count > 0) text += Named("AsyncResource", users.resources);
  if (users.resources.count > 0 && users.operations.count > 0) text += " and ";
  if (users.operations.count > 0) text += Named("AsyncOperation", users.operations);
  text += ", and goes once these are gone or, of AsyncOperations, have ended";
  const std::string kubectl = "kubectl -n " + system.namespace_name;
  if (!check.ok()) {
    text += ". They cannot call: " + check.message() +
            ", and what it held is not known any more: make it again";
  }
  if (!users.resources.staying.empty()) {
    text += ". Not under deletion is asyncresource/" + users.resources.staying + ": " + kubectl +
            " delete asyncresource/" + users.resources.staying;
  }
  const bool resource = users.resources.count > 0;
  const std::string named = resource ? "asyncresource/" + users.resources.first.front()
                                     : "asyncoperation/" + users.operations.first.front();
  return BoundMessage(text + ". To leave behind what is outside: " + kubectl + " annotate " +
                      named + " " + std::string(kForceDelete) +
                      "=true, which counts once that is under deletion");
}

}  // namespace asyncops::reconciler
