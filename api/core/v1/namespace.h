// core/v1 Namespace, as far as standalone serves it. A plain value.
#ifndef ASYNCOPS_API_CORE_V1_NAMESPACE_H_
#define ASYNCOPS_API_CORE_V1_NAMESPACE_H_

#include <string>
#include <vector>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"

namespace asyncops::core {

struct NamespaceSpec {
  std::vector<std::string> finalizers;

  static const ObjectBinding<NamespaceSpec>& Binding();
  bool operator==(const NamespaceSpec&) const = default;
};

struct NamespaceStatus {
  std::string phase;  // Active | Terminating
  Conditions conditions;

  static const ObjectBinding<NamespaceStatus>& Binding();
  bool operator==(const NamespaceStatus&) const = default;
};

struct Namespace {
  ObjectMeta metadata;
  NamespaceSpec spec;
  NamespaceStatus status;

  static const ObjectBinding<Namespace>& Binding();
  bool operator==(const Namespace&) const = default;
};

}  // namespace asyncops::core

#endif  // ASYNCOPS_API_CORE_V1_NAMESPACE_H_
