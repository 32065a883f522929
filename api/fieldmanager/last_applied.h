// The annotation in which `kubectl apply` without --server-side keeps what it applied: it lets the
// same kubectl go over to server-side apply without conflicts with itself.
#ifndef ASYNCOPS_API_FIELDMANAGER_LAST_APPLIED_H_
#define ASYNCOPS_API_FIELDMANAGER_LAST_APPLIED_H_

#include <string_view>
#include <vector>

#include "api/fieldmanager/updater.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
// The manager of `kubectl apply --server-side`: the annotation speaks for it alone.
inline constexpr std::string_view kKubectl = "kubectl";

// The conflicts but those over fields that the annotation of `object` applied and that still have
// that value: all of them where there is no annotation of this version.
std::vector<FieldConflict> WithoutLastApplied(const FieldScope& scope, std::string_view api_version,
                                              const Json& object,
                                              std::vector<FieldConflict> conflicts);

// Writes the configuration into the annotation, where the object has one and it has room for it.
void RenewLastApplied(const Json& configuration, Json* object);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_LAST_APPLIED_H_
