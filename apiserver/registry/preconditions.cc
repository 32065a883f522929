#include "apiserver/registry/preconditions.h"

#include <string>

#include "api/meta/field_error.h"

namespace asyncops::apiserver {

Status CheckPreconditions(const ResourceInfo& resource, const Preconditions& preconditions,
                          const Json& present) {
  const std::string_view name = present.StringAt({"metadata", "name"});
  const std::string uid(present.StringAt({"metadata", "uid"}));
  const std::string version(present.StringAt({"metadata", "resourceVersion"}));
  if (preconditions.uid.value_or(uid) != uid) {
    return Conflict(resource.group, resource.plural, name,
                    "the UID in the precondition (" + *preconditions.uid +
                        ") does not match the UID in record (" + uid +
                        "). The object might have been deleted and then recreated");
  }
  if (preconditions.resource_version.value_or(version) != version) {
    return Conflict(resource.group, resource.plural, name,
                    "the ResourceVersion in the precondition (" + *preconditions.resource_version +
                        ") does not match the ResourceVersion in record (" + version +
                        "). The object might have been modified");
  }
  return Status::Ok();
}

Status CheckUpdatePreconditions(const ResourceInfo& resource, const Json& body, const Json& present,
                                bool version_required) {
  const std::string name(present.StringAt({"metadata", "name"}));
  const std::string_view uid = body.StringAt({"metadata", "uid"});
  const std::string_view present_uid = present.StringAt({"metadata", "uid"});
  if (!uid.empty() && uid != present_uid) {
    return Conflict(resource.group, resource.plural, name,
                    "Precondition failed: UID in precondition: " + std::string(uid) +
                        ", UID in object meta: " + std::string(present_uid));
  }
  const std::string_view version = body.StringAt({"metadata", "resourceVersion"});
  if (version.empty() && version_required) {
    return InvalidObject(
        resource.group, resource.kind, name,
        // As Go shows the number that kube-apiserver makes of it.
        {InvalidField("metadata.resourceVersion", Json(), "0x0: must be specified for an update")});
  }
  if (!version.empty() && version != present.StringAt({"metadata", "resourceVersion"}))
    return Conflict(resource.group, resource.plural, name, kObjectModified);
  return Status::Ok();
}

}  // namespace asyncops::apiserver
