// metadata of an object, as a plain value.
#ifndef ASYNCOPS_API_META_OBJECT_META_H_
#define ASYNCOPS_API_META_OBJECT_META_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/meta/field_error.h"
#include "api/meta/label_selector.h"
#include "base/clock.h"
#include "base/json.h"

namespace asyncops {

template <class T>
class ObjectBinding;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;

  static const ObjectBinding<OwnerReference>& Binding();
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string namespace_name;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  Labels labels;
  Labels annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;
  Json managed_fields;  // a list, kept as it is; null for none

  static const ObjectBinding<ObjectMeta>& Binding();
  bool operator==(const ObjectMeta&) const = default;
};

// Names, labels, annotations, owner references and finalizers by apimachinery's rules; paths below
// "metadata". `name` may be empty where generate_name is not.
FieldErrors ValidateObjectMeta(const ObjectMeta& meta, bool namespaced);
// What may not change after creation (name, namespace, uid, creationTimestamp), and finalizers that
// are added once deletionTimestamp is set.
FieldErrors ValidateObjectMetaUpdate(const ObjectMeta& meta, const ObjectMeta& old_meta);

// Nothing where the text is a DNS-1123 subdomain (label), else the rule in apimachinery's words.
std::optional<std::string> CheckDnsSubdomain(std::string_view text);
std::optional<std::string> CheckDnsLabel(std::string_view text);
// A label key or finalizer-like qualified name: [prefix/]name.
std::optional<std::string> CheckQualifiedName(std::string_view text);
std::optional<std::string> CheckLabelValue(std::string_view text);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_OBJECT_META_H_
