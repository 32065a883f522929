#include "api/meta/object_meta.h"

#include <algorithm>

#include "api/meta/quote.h"
#include "api/schema/binding.h"
#include "base/ascii.h"
#include "base/limits.h"

namespace asyncops {
namespace {

constexpr std::string_view kImmutable = "field is immutable";
constexpr std::string_view kOrphanFinalizer = "orphan";
constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// A name that is only the start of one may end with a dash.
std::string WithoutTrailingDash(std::string_view prefix) {
  std::string out(prefix);
  if (out.size() > 1 && out.back() == '-') out.back() = 'a';
  return out;
}

void Check(std::optional<std::string> rule, std::string_view path, const std::string& value,
           FieldErrors* errors) {
  if (rule) errors->push_back(InvalidField(std::string(path), value, *std::move(rule)));
}

void CheckNames(const ObjectMeta& meta, bool namespaced, FieldErrors* errors) {
  if (!meta.generate_name.empty()) {
    Check(CheckDnsSubdomain(WithoutTrailingDash(meta.generate_name)), "metadata.generateName",
          meta.generate_name, errors);
  }
  if (!meta.name.empty()) {
    Check(CheckDnsSubdomain(meta.name), "metadata.name", meta.name, errors);
  } else if (meta.generate_name.empty()) {
    errors->push_back(RequiredField("metadata.name", "name or generateName is required"));
  }
  const std::string path = "metadata.namespace";
  if (!namespaced) {
    if (!meta.namespace_name.empty())
      errors->push_back(ForbiddenField(path, "not allowed on this type"));
  } else if (meta.namespace_name.empty()) {
    errors->push_back(RequiredField(path, ""));
  } else {
    Check(CheckDnsLabel(meta.namespace_name), path, meta.namespace_name, errors);
  }
}

void CheckLabels(const ObjectMeta& meta, FieldErrors* errors) {
  for (const auto& [key, value] : meta.labels) {
    Check(CheckQualifiedName(key), "metadata.labels", key, errors);
    Check(CheckLabelValue(value), "metadata.labels", value, errors);
  }
  std::size_t bytes = 0;
  for (const auto& [key, value] : meta.annotations) {
    // Prefixes of annotations may have capitals.
    Check(CheckQualifiedName(LowerCase(key)), "metadata.annotations", key, errors);
    bytes += key.size() + value.size();
  }
  if (bytes > kMaxAnnotationsBytes)
    errors->push_back(TooLongField("metadata.annotations", kMaxAnnotationsBytes));
}

// "<version>" or "<group>/<version>".
bool IsGroupVersion(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return !text.empty();
  return slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string_view::npos;
}

void CheckOwner(const OwnerReference& owner, const std::string& path, FieldErrors* errors) {
  const auto require = [errors, &path](const std::string& value, std::string_view name) {
    if (value.empty()) errors->push_back(RequiredField(FieldPath(path, name), "must not be empty"));
  };
  require(owner.api_version, "apiVersion");
  if (!owner.api_version.empty() && !IsGroupVersion(owner.api_version)) {
    errors->push_back(InvalidField(FieldPath(path, "apiVersion"), owner.api_version,
                                   "must be <group>/<version> or <version>"));
  }
  require(owner.kind, "kind");
  require(owner.name, "name");
  require(owner.uid, "uid");
  if (owner.api_version == "v1" && owner.kind == "Event") {
    errors->push_back(InvalidField(path, OwnerReference::Binding().Encode(owner),
                                   "/v1, Kind=Event is disallowed from being an owner"));
  }
}

void CheckOwners(const ObjectMeta& meta, FieldErrors* errors) {
  const std::string path = "metadata.ownerReferences";
  std::string controller;
  for (std::size_t i = 0; i < meta.owner_references.size(); ++i) {
    const OwnerReference& owner = meta.owner_references[i];
    CheckOwner(owner, FieldPath(path, i), errors);
    if (!owner.controller.value_or(false)) continue;
    const std::string name = owner.kind + "/" + owner.name;
    if (controller.empty()) {
      controller = name;
      continue;
    }
    errors->push_back(
        InvalidField(path, Codec<std::vector<OwnerReference>>::Encode(meta.owner_references),
                     "Only one reference can have Controller set to true. Found \"true\" in "
                     "references for " +
                         controller + " and " + name));
  }
}

void CheckFinalizers(const ObjectMeta& meta, FieldErrors* errors) {
  const std::string path = "metadata.finalizers";
  bool orphan = false;
  bool foreground = false;
  for (const std::string& finalizer : meta.finalizers) {
    Check(CheckQualifiedName(finalizer), path, finalizer, errors);
    orphan = orphan || finalizer == kOrphanFinalizer;
    foreground = foreground || finalizer == kForegroundFinalizer;
  }
  if (orphan && foreground) {
    errors->push_back(InvalidField(path, Codec<std::vector<std::string>>::Encode(meta.finalizers),
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void CheckNoNewFinalizers(const ObjectMeta& meta, const ObjectMeta& old_meta, FieldErrors* errors) {
  const auto& old = old_meta.finalizers;
  std::vector<std::string> added;
  for (const std::string& finalizer : meta.finalizers) {
    if (std::find(old.begin(), old.end(), finalizer) == old.end()) added.push_back(finalizer);
  }
  if (added.empty()) return;
  std::sort(added.begin(), added.end());
  std::string list;
  for (const std::string& finalizer : added)
    list.append(list.empty() ? "" : ", ").append(Quote(finalizer));
  errors->push_back(
      ForbiddenField("metadata.finalizers",
                     "no new finalizers can be added if the object is being deleted, found new "
                     "finalizers []string{" +
                         list + "}"));
}

}  // namespace

FieldErrors ValidateObjectMeta(const ObjectMeta& meta, bool namespaced) {
  FieldErrors errors;
  CheckNames(meta, namespaced, &errors);
  if (meta.generation < 0) {
    errors.push_back(
        InvalidField("metadata.generation", meta.generation, "must be greater than or equal to 0"));
  }
  CheckLabels(meta, &errors);
  CheckOwners(meta, &errors);
  CheckFinalizers(meta, &errors);
  return errors;
}

FieldErrors ValidateObjectMetaUpdate(const ObjectMeta& meta, const ObjectMeta& old_meta) {
  FieldErrors errors;
  if (old_meta.deletion_timestamp) CheckNoNewFinalizers(meta, old_meta, &errors);
  const auto immutable = [&errors](bool same, std::string path, Json value) {
    if (!same)
      errors.push_back(InvalidField(std::move(path), std::move(value), std::string(kImmutable)));
  };
  immutable(meta.name == old_meta.name, "metadata.name", meta.name);
  immutable(meta.namespace_name == old_meta.namespace_name, "metadata.namespace",
            meta.namespace_name);
  immutable(meta.uid == old_meta.uid, "metadata.uid", meta.uid);
  immutable(meta.creation_timestamp == old_meta.creation_timestamp, "metadata.creationTimestamp",
            Codec<std::optional<Time>>::Encode(meta.creation_timestamp));
  return errors;
}

}  // namespace asyncops
