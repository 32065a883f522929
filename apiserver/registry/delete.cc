#include <optional>
#include <utility>

#include "api/meta/deletion.h"
#include "apiserver/registry/preconditions.h"
#include "apiserver/registry/registry.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

std::optional<Propagation> PolicyOf(const DeleteOptions& options) {
  if (options.orphan_dependents)
    return *options.orphan_dependents ? Propagation::kOrphan : Propagation::kBackground;
  return ParsePropagation(options.propagation_policy);
}

Status Protected(const std::string& name) {
  StatusDetails details;
  details.kind = "namespaces";
  details.name = name;
  return Status(Reason::kForbidden,
                "namespaces \"" + name + "\" is forbidden: this namespace may not be deleted")
      .WithDetails(std::move(details));
}

}  // namespace

Result<Registry::Modification> Registry::ComputeDelete(const ResourceInfo& resource,
                                                       const Json& present,
                                                       const DeleteOptions& options) const {
  ASYNCOPS_RETURN_IF_ERROR(CheckPreconditions(resource, options.preconditions, present));
  Modification modification;
  modification.object = present;
  switch (BeginDeletion(PolicyOf(options), clock_.Now(), &modification.object)) {
    case DeletionStep::kNone: modification.kind = Modification::Kind::kNone; break;
    case DeletionStep::kUpdate: modification.kind = Modification::Kind::kUpdate; break;
    case DeletionStep::kRemove: modification.kind = Modification::Kind::kDelete; break;
  }
  modification.version = storage::MakeObjectVersion(resource, modification.object);
  return modification;
}

void Registry::Delete(const ResourceInfo& resource, const std::string& namespace_name,
                      const std::string& name, DeleteOptions options, WriteCallback done) {
  const bool is_namespace = resource.group.empty() && resource.plural == "namespaces";
  if (is_namespace && name == kDefaultNamespace) return done(Protected(name));
  const bool dry_run = options.dry_run;
  auto modify = [this, &resource, options = std::move(options)](const Json& present) {
    return ComputeDelete(resource, present, options);
  };
  Modify(resource, storage::KeyOf(resource, namespace_name, name), dry_run, std::move(modify),
         std::move(done));
}

}  // namespace asyncops::apiserver
