// What the status of a terminating Namespace says about what is left, in the words of Kubernetes.
#ifndef ASYNCOPS_CONTROLLERS_NAMESPACE_CONDITIONS_H_
#define ASYNCOPS_CONTROLLERS_NAMESPACE_CONDITIONS_H_

#include <map>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace asyncops::controllers {

// What keeps a namespace from going.
struct Remaining {
  std::map<std::string, int> resources;   // "asyncresources.asyncops.dev": how many objects
  std::map<std::string, int> finalizers;  // how many of them each finalizer holds

  bool operator==(const Remaining&) const = default;
};

// Sets the conditions NamespaceDeletionContentFailure, NamespaceContentRemaining and
// NamespaceFinalizersRemaining. `failure` is what went wrong when its content was deleted; "" where
// nothing did. Transition times move only where a status does.
void SetNamespaceConditions(const Remaining& remaining, const std::string& failure, Time now,
                            Json* namespace_object);

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_NAMESPACE_CONDITIONS_H_
