#include "apiserver/registry/field_manager.h"

#include <utility>

#include "api/fieldmanager/conflict.h"
#include "api/fieldmanager/last_applied.h"
#include "api/meta/field_error.h"
#include "base/limits.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {

fieldmanager::FieldScope ScopeOf(const ResourceInfo& resource, const std::string& subresource) {
  return {*resource.schema, subresource == "status"};
}

fieldmanager::FieldManager FieldManagerOf(const ResourceInfo& resource,
                                          const std::string& subresource,
                                          const WriteOptions& options, Time now) {
  return {.name = options.field_manager,
          .api_version = resource.GroupVersion(),
          .subresource = subresource,
          .time = FormatTime(now)};
}

Result<Json> ApplyConfiguration(const ResourceInfo& resource,
                                const fieldmanager::FieldManager& manager,
                                const WriteOptions& options, const Json* old_object,
                                const Json& configuration) {
  const fieldmanager::FieldScope scope = ScopeOf(resource, manager.subresource);
  fieldmanager::ApplyRequest request{scope, manager, options.force};
  fieldmanager::ApplyOutcome outcome = fieldmanager::Apply(request, old_object, configuration);
  const bool is_kubectl = manager.name == fieldmanager::kKubectl;
  if (is_kubectl && !outcome.conflicts.empty()) {
    outcome.conflicts = fieldmanager::WithoutLastApplied(scope, manager.api_version, *old_object,
                                                         std::move(outcome.conflicts));
    request.force = true;
    if (outcome.conflicts.empty())
      outcome = fieldmanager::Apply(request, old_object, configuration);
  }
  if (!outcome.conflicts.empty()) return fieldmanager::ConflictStatus(outcome.conflicts);
  const Json* managers = outcome.object.FindPath({"metadata", "managedFields"});
  constexpr std::size_t kMost = kMaxManagers + kMaxUpdateManagers;
  if (managers != nullptr && managers->is_array() && managers->as_array().size() > kMost) {
    return InvalidObject(
        resource.group, resource.kind, configuration.StringAt({"metadata", "name"}),
        {TooManyItems("metadata.managedFields", managers->as_array().size(), kMost)});
  }
  if (is_kubectl) fieldmanager::RenewLastApplied(configuration, &outcome.object);
  return std::move(outcome.object);
}

void FinishManagedFields(const ResourceInfo& resource, const fieldmanager::FieldManager& manager,
                         const Json* old_object, Json* object) {
  if (!manager.is_apply) {
    return fieldmanager::TrackUpdate(ScopeOf(resource, manager.subresource), manager, old_object,
                                     object);
  }
  if (old_object == nullptr || !(*object == *old_object))
    fieldmanager::SetApplyTime(manager, object);
}

}  // namespace asyncops::apiserver
