#include "api/core/v1/namespace.h"
#include "api/schema/binding.h"

namespace asyncops::core {

const ObjectBinding<NamespaceSpec>& NamespaceSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<NamespaceSpec>("io.k8s.api.core.v1.NamespaceSpec", "How the namespace behaves.")
          .Field("finalizers", &NamespaceSpec::finalizers,
                 "What must be done before the namespace goes; kubernetes removes its objects.");
  return kBinding;
}

const ObjectBinding<NamespaceStatus>& NamespaceStatus::Binding() {
  static const auto kBinding =
      ObjectBinding<NamespaceStatus>("io.k8s.api.core.v1.NamespaceStatus",
                                     "Where the namespace is in its life.")
          .Field("phase", &NamespaceStatus::phase,
                 "Active, or Terminating while its objects are removed.",
                 {.enum_values = {"", "Active", "Terminating"}})
          .Field("conditions", &NamespaceStatus::conditions,
                 "What holds up the end of a namespace that is terminating.",
                 {.list_map_keys = {"type"}});
  return kBinding;
}

const ObjectBinding<Namespace>& Namespace::Binding() {
  static const auto kBinding =
      ObjectBinding<Namespace>("io.k8s.api.core.v1.Namespace", "A scope for the names of objects.")
          .Constant("apiVersion", "v1", "Group and version of the object: v1.")
          .Constant("kind", "Namespace", "The kind of object: Namespace.")
          .Field("metadata", &Namespace::metadata, "Name, labels and the like.")
          .Field("spec", &Namespace::spec, "How the namespace behaves.")
          .Field("status", &Namespace::status, "Where it is in its life; written by the server.");
  return kBinding;
}

}  // namespace asyncops::core
