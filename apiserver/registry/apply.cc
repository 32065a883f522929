#include "apiserver/registry/apply.h"

#include <memory>
#include <utility>

#include "api/schema/walk.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/preconditions.h"
#include "apiserver/registry/strategy.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// Tries where somebody creates or deletes the object in between.
constexpr int kApplyTries = 5;

Status CheckNoManagedFields(const Json& configuration) {
  const Json* list = configuration.FindPath({"metadata", "managedFields"});
  if (list == nullptr || list->is_null()) return Status::Ok();
  return BadRequest("metadata.managedFields must be nil");
}

// Of an object that is not there.
Status CheckNoUid(const ResourceInfo& resource, const std::string& name,
                  const Json& configuration) {
  const std::string uid(configuration.StringAt({"metadata", "uid"}));
  if (uid.empty()) return Status::Ok();
  return Conflict(resource.group, resource.plural, name,
                  "uid mismatch: the provided object specified uid " + uid +
                      ", and no existing object was found");
}

// Leaves what can be applied through the endpoint: the status, or all else.
void KeepOwn(const ResourceInfo& resource, const std::string& subresource, Json* configuration) {
  if (subresource == "status") {
    const Json* status = configuration->Find("status");
    *configuration = status == nullptr ? Json(JsonObject()) : Json::Of({{"status", *status}});
  } else if (resource.has_status) {
    configuration->as_object().Erase("status");
  }
}

}  // namespace

Result<Registry::Modification> Registry::ComputeApply(const ApplyCall& call,
                                                      const Json& present) const {
  const ResourceInfo& resource = call.resource;
  PreparedObject prepared;
  Json configuration = call.configuration.value;
  ASYNCOPS_RETURN_IF_ERROR(CheckBody(
      resource, {.namespace_name = call.namespace_name, .name = call.name}, &configuration));
  ASYNCOPS_RETURN_IF_ERROR(CheckUpdatePreconditions(resource, configuration, present, false));
  ASYNCOPS_RETURN_IF_ERROR(CheckFields(resource, call.options.field_validation, &configuration,
                                       call.configuration.duplicate_fields, &prepared.warnings));
  if (const auto prepare = StrategyFor(resource).prepare_for_update; prepare != nullptr)
    prepare(&configuration);
  KeepOwn(resource, call.subresource, &configuration);
  Json old = present;
  ApplyDefaults(*resource.schema, &old);

  prepared.writer = FieldManagerOf(resource, call.subresource, call.options, clock_.Now());
  prepared.writer->is_apply = true;
  prepared.user = call.options.user;
  Result<Json> applied =
      ApplyConfiguration(resource, *prepared.writer, call.options, &old, configuration);
  if (!applied.ok()) return applied.status();
  const Json* owners = applied->FindPath({"metadata", "managedFields"});
  Json managed_fields = owners == nullptr ? Json() : *owners;
  prepared.object = MergeUpdate(resource, call.subresource, old, *std::move(applied));
  // Null, where nobody owns anything, goes with the defaults.
  prepared.object.ObjectAt("metadata").Set("managedFields", std::move(managed_fields));
  ASYNCOPS_RETURN_IF_ERROR(FinishObject(resource, &old, &prepared));
  return ModificationOf(std::move(prepared), old);
}

void Registry::Apply(std::shared_ptr<const ApplyCall> call, int tries, WriteCallback done) {
  const ResourceInfo& resource = call->resource;
  if (const Status status = CheckNoManagedFields(call->configuration.value); !status.ok())
    return done(status);
  // The other half of the race: what is to be changed is gone, or what is to be made is there.
  const auto again_after = [this, call, tries](Reason reason, WriteCallback then) -> WriteCallback {
    return [this, call, tries, reason, then = std::move(then)](Result<WriteResult> result) {
      if (result.ok() || result.status().reason() != reason || tries + 1 >= kApplyTries)
        return then(std::move(result));
      Apply(call, tries + 1, then);
    };
  };
  const Status found = Get(resource, call->namespace_name, call->name).status();
  if (found.ok()) {
    auto modify = [this, call](const Json& present) { return ComputeApply(*call, present); };
    return Modify(resource, storage::KeyOf(resource, call->namespace_name, call->name),
                  call->options.dry_run, std::move(modify),
                  again_after(Reason::kNotFound, std::move(done)));
  }
  const bool may_create = call->options.may_create && call->subresource.empty();
  if (found.reason() != Reason::kNotFound || !may_create) return done(found);
  Json configuration = call->configuration.value;
  Status status = CheckBody(resource, {.namespace_name = call->namespace_name, .name = call->name},
                            &configuration);
  if (status.ok()) status = CheckNoUid(resource, call->name, configuration);
  if (!status.ok()) return done(status);
  CreateObject(resource, call->namespace_name,
               {std::move(configuration), call->configuration.duplicate_fields}, call->options,
               true, again_after(Reason::kAlreadyExists, std::move(done)));
}

}  // namespace asyncops::apiserver
