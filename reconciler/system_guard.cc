#include "reconciler/system_guard.h"

#include <algorithm>
#include <memory>
#include <string>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/scheme.h"
#include "base/log.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;

// A namespace that is made and deleted within this time may lose a system that it needs.
constexpr milliseconds kLookEvery{200};
constexpr milliseconds kAfterFailure{2000};

bool IsLeaving(const Json& object) {
  return object.FindPath({"metadata", "deletionTimestamp"}) != nullptr;
}

bool Holds(const Json& object, std::string_view finalizer) {
  const Json* held = object.FindPath({"metadata", "finalizers"});
  if (held == nullptr || !held->is_array()) return false;
  const JsonArray& all = held->as_array();
  return std::any_of(all.begin(), all.end(), [finalizer](const Json& each) {
    return each.is_string() && each.as_string() == finalizer;
  });
}

}  // namespace

SystemGuard::SystemGuard(kube::ApiClient& client, const kube::Informer& resources,
                         const kube::Informer& systems, const storage::Store& store,
                         const Clock& clock)
    : resources_(resources), systems_(systems), store_(store), calls_(client, clock) {}

Result<bool> SystemGuard::IsInUse(std::string_view namespace_name, std::string_view name) const {
  for (const std::shared_ptr<const Json>& resource : resources_.List()) {
    if (resource->StringAt({"metadata", "namespace"}) == namespace_name &&
        resource->StringAt({"spec", "externalSystemRef", "name"}) == name &&
        (!IsLeaving(*resource) || Holds(*resource, kResourceFinalizer)))
      return true;
  }
  FieldSelector selector;
  selector.requirements.push_back(
      {.field = "spec.externalSystemRef.name", .equal = true, .value = std::string(name)});
  bool used = false;
  const Result<storage::Revision> listed = ForEachObject(
      store_, OperationResource().GroupResource(), std::string(namespace_name), selector,
      [&used](const storage::Record& record) {
        used = used || !state::IsFinal(storage::FindPair(record.fields.text(), "status.state"));
      });
  if (!listed.ok()) return listed.status();
  return used;
}

Status SystemGuard::Keep(const Json& system) {
  const bool held = Holds(system, kSystemFinalizer);
  if (held != IsLeaving(system)) return Status::Ok();
  const std::string namespace_name(system.StringAt({"metadata", "namespace"}));
  const std::string name(system.StringAt({"metadata", "name"}));
  Json after = system;
  if (held) {
    const Result<bool> used = IsInUse(namespace_name, name);
    if (!used.ok()) return used.status();
    if (*used) return Status::Ok();
    RemoveFinalizer(kSystemFinalizer, &after);
  } else {
    AddFinalizer(kSystemFinalizer, &after);
  }
  const Json* finalizers = after.FindPath({"metadata", "finalizers"});
  const Json patch = Json::Of(
      {{"metadata",
        Json::Of({{"resourceVersion", Json(system.StringAt({"metadata", "resourceVersion"}))},
                  {"finalizers", finalizers == nullptr ? Json() : *finalizers}})}});
  const Status written =
      calls_.Patch(ClusterPath(kAsyncopsGroup, "externalsystems", namespace_name, name), patch)
          .status();
  // The informer is behind: it is looked at again.
  const bool behind =
      written.reason() == Reason::kConflict || written.reason() == Reason::kNotFound;
  return written.ok() || behind ? Status::Ok() : written.WithContext(namespace_name + "/" + name);
}

milliseconds SystemGuard::Look() {
  if (!resources_.health().synced || !systems_.health().synced) return kLookEvery;
  Status failed;
  for (const std::shared_ptr<const Json>& system : systems_.List()) {
    if (const Status kept = Keep(*system); !kept.ok()) failed = kept;
  }
  if (!failed.ok() && !failing_)
    Log(LogLevel::kWarning, "finalizers of ExternalSystems wait", {{"error", failed.ToString()}});
  failing_ = !failed.ok();
  return failing_ ? kAfterFailure : kLookEvery;
}

}  // namespace asyncops::reconciler
