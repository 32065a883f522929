#include <utility>

#include "apiserver/registry/registry.h"
#include "base/rfc3339.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

bool HasFinalizers(const Json& object) {
  const Json* finalizers = object.FindPath({"metadata", "finalizers"});
  return finalizers != nullptr && finalizers->is_array() && !finalizers->as_array().empty();
}

Status CheckPreconditions(const ResourceInfo& resource, const std::string& name,
                          const Json& present, const DeleteOptions& options) {
  const auto differs = [&present](const std::optional<std::string>& wanted,
                                  std::string_view field) {
    return wanted && *wanted != present.StringAt({"metadata", field});
  };
  if (differs(options.precondition_uid, "uid")) {
    return Conflict(
        resource.group, resource.plural, name,
        "Precondition failed: UID in precondition: " + *options.precondition_uid +
            ", UID in object meta: " + std::string(present.StringAt({"metadata", "uid"})));
  }
  if (differs(options.precondition_resource_version, "resourceVersion")) {
    return Conflict(resource.group, resource.plural, name,
                    "Precondition failed: ResourceVersion in precondition: " +
                        *options.precondition_resource_version +
                        ", ResourceVersion in object meta: " +
                        std::string(present.StringAt({"metadata", "resourceVersion"})));
  }
  return Status::Ok();
}

}  // namespace

Status Registry::CheckNamespaceEmpty(const std::string& name) const {
  for (const ResourceInfo& resource : AllResources()) {
    // Events say what happened; nothing is lost with them.
    if (!resource.namespaced || resource.plural == "events") continue;
    storage::ListQuery query;
    query.resource = resource.StorageName();
    query.namespace_name = name;
    query.limit = 1;
    const Result<storage::ListPage> page = store_.List(query);
    if (!page.ok()) return page.status();
    if (page->rows.empty()) continue;
    return Conflict("", "namespaces", name,
                    "the namespace still holds " + resource.plural + ", \"" +
                        page->rows.front().key.name + "\" among them; delete what is in it first");
  }
  return Status::Ok();
}

Result<Registry::Modification> Registry::ComputeDelete(const ResourceInfo& resource,
                                                       const storage::ObjectKey& key,
                                                       const Json& present,
                                                       const DeleteOptions& options) const {
  ASYNCOPS_RETURN_IF_ERROR(CheckPreconditions(resource, key.name, present, options));
  Modification modification;
  modification.object = present;
  modification.kind = Modification::Kind::kDelete;
  if (!HasFinalizers(present)) return modification;
  const bool under_deletion = !present.StringAt({"metadata", "deletionTimestamp"}).empty();
  modification.kind = under_deletion ? Modification::Kind::kNone : Modification::Kind::kUpdate;
  if (under_deletion) return modification;
  JsonObject& meta = modification.object.ObjectAt("metadata");
  meta.Set("deletionTimestamp", FormatTime(clock_.Now()));
  meta.Set("deletionGracePeriodSeconds", 0);
  if (resource.has_status) meta.Set("generation", present.IntAt({"metadata", "generation"}, 0) + 1);
  return modification;
}

void Registry::Delete(const ResourceInfo& resource, const std::string& namespace_name,
                      const std::string& name, DeleteOptions options, WriteCallback done) {
  const storage::ObjectKey key = storage::KeyOf(resource, namespace_name, name);
  if (resource.group.empty() && resource.plural == "namespaces") {
    if (name == kDefaultNamespace) {
      StatusDetails details;
      details.kind = resource.plural;
      details.name = name;
      return done(Status(Reason::kForbidden, "namespaces \"" + name +
                                                 "\" is forbidden: this namespace may not be "
                                                 "deleted")
                      .WithDetails(std::move(details)));
    }
    if (const Status status = CheckNamespaceEmpty(name); !status.ok()) return done(status);
  }
  const bool dry_run = options.dry_run;
  auto modify = [this, &resource, key, options = std::move(options)](const Json& present) {
    return ComputeDelete(resource, key, present, options);
  };
  Modify(resource, key, dry_run, std::move(modify), std::move(done));
}

}  // namespace asyncops::apiserver
