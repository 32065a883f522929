#include "api/validators.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/asyncops/v1alpha1/ratchet.h"
#include "api/core/v1/validation.h"
#include "api/meta/object.h"
#include "api/meta/object_meta.h"
#include "api/operations/v1alpha1/validation.h"
#include "api/schema/binding.h"
#include "api/schema/walk.h"
#include "api/unsupported_fields.h"
#include "base/ascii.h"

namespace asyncops {
namespace {

void Append(FieldErrors from, FieldErrors* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

FieldErrors CheckMeta(const ResourceInfo& resource, const ObjectMeta& meta, const ObjectMeta* old) {
  FieldErrors errors = ValidateObjectMeta(meta, resource.namespaced);
  if (old == nullptr) return errors;
  if (!errors.empty()) DropUnchanged(ValidateObjectMeta(*old, resource.namespaced), &errors);
  Append(ValidateObjectMetaUpdate(meta, *old), &errors);
  return errors;
}

// Of an object that does not decode as a whole. Metadata that does not decode is reported as one
// error, which structural validation words better.
FieldErrors CheckMetadata(const ResourceInfo& resource, const Json& object, const Json* old) {
  const Json* metadata = object.Find("metadata");
  if (metadata == nullptr) return {RequiredField("metadata", "give a name")};
  const Result<ObjectMeta> meta = DecodeAs<ObjectMeta>(*metadata);
  if (!meta.ok()) return {InvalidField("metadata", Json(), meta.status().message())};
  const Json* old_metadata = old == nullptr ? nullptr : old->Find("metadata");
  if (old_metadata == nullptr) return CheckMeta(resource, *meta, nullptr);
  const Result<ObjectMeta> old_meta = DecodeAs<ObjectMeta>(*old_metadata);
  return CheckMeta(resource, *meta, old_meta.ok() ? &*old_meta : nullptr);
}

FieldErrors CheckSupport(const ResourceInfo& resource, const Json& object, const Json* old) {
  FieldErrors errors = FindUnsupportedFields(resource.kind, object);
  if (!errors.empty() && old != nullptr)
    DropUnchanged(FindUnsupportedFields(resource.kind, *old), &errors);
  return errors;
}

bool HasMetadata(const Json& object) {
  const Json* metadata = object.Find("metadata");
  return metadata != nullptr && metadata->is_object();
}

// The meaning of an object of one kind: of its metadata, of fields that are not carried out, and by
// the kind's own rules. `old` is null on creation.
using KindValidator = ValidationResult (*)(const ResourceInfo& resource, const Json& object,
                                           const Json* old);

template <class T, ValidationResult (*kValidate)(const T&),
          ValidationResult (*kValidateUpdate)(const T&, const T&)>
ValidationResult ValidateKind(const ResourceInfo& resource, const Json& object, const Json* old) {
  const Result<T> decoded = DecodeAs<T>(object);
  // A stored object that no longer decodes cannot excuse anything.
  std::optional<T> before;
  if (old != nullptr) {
    if (Result<T> decoded_old = DecodeAs<T>(*old); decoded_old.ok())
      before = *std::move(decoded_old);
  }
  ValidationResult out;
  const bool old_is_whole = old == nullptr || (before && HasMetadata(*old));
  if (decoded.ok() && HasMetadata(object) && old_is_whole) {
    out.errors = CheckMeta(resource, decoded->metadata, before ? &before->metadata : nullptr);
  } else {
    out.errors = CheckMetadata(resource, object, old);
  }
  Append(CheckSupport(resource, object, old), &out.errors);
  if (!decoded.ok()) {
    out.errors.push_back(InvalidField("", Json(), decoded.status().message()));
    return out;
  }
  ValidationResult rules = before ? kValidateUpdate(*decoded, *before) : kValidate(*decoded);
  Append(std::move(rules.errors), &out.errors);
  out.warnings = std::move(rules.warnings);
  return out;
}

ValidationResult NamespaceCreate(const core::Namespace& object) {
  return {core::ValidateNamespace(object), {}};
}
ValidationResult NamespaceUpdate(const core::Namespace& object, const core::Namespace& old) {
  return {core::ValidateNamespaceUpdate(object, old), {}};
}
ValidationResult SecretCreate(const core::Secret& secret) {
  return {core::ValidateSecret(secret), {}};
}
ValidationResult SecretUpdate(const core::Secret& secret, const core::Secret& old) {
  return {core::ValidateSecretUpdate(secret, old), {}};
}
ValidationResult EventCreate(const core::Event& event) { return {core::ValidateEvent(event), {}}; }
ValidationResult EventUpdate(const core::Event& event, const core::Event& /*old*/) {
  return {core::ValidateEvent(event), {}};
}

struct KindRow {
  std::string_view kind;
  KindValidator validate;
};

constexpr std::array<KindRow, 6> kKinds = {{
    {"AsyncOperation",
     ValidateKind<AsyncOperation, ValidateAsyncOperation, ValidateAsyncOperationUpdate>},
    {"AsyncResource",
     ValidateKind<AsyncResource, ValidateAsyncResource, ValidateAsyncResourceUpdate>},
    {"ExternalSystem",
     ValidateKind<ExternalSystem, ValidateExternalSystem, ValidateExternalSystemUpdate>},
    {"Event", ValidateKind<core::Event, EventCreate, EventUpdate>},
    {"Namespace", ValidateKind<core::Namespace, NamespaceCreate, NamespaceUpdate>},
    {"Secret", ValidateKind<core::Secret, SecretCreate, SecretUpdate>},
}};

ValidationResult ValidateMeaning(const ResourceInfo& resource, const Json& object,
                                 const Json* old) {
  for (const KindRow& row : kKinds)
    if (row.kind == resource.kind) return row.validate(resource, object, old);
  ValidationResult out{CheckMetadata(resource, object, old), {}};
  Append(CheckSupport(resource, object, old), &out.errors);
  return out;
}

// Takes the first step off a path: a name, or what stands in brackets.
std::string_view TakeStep(std::string_view* path) {
  const bool bracket = path->starts_with('[');
  if (bracket || path->starts_with('.')) path->remove_prefix(1);
  const std::size_t end = std::min(path->find_first_of(bracket ? "]" : ".["), path->size());
  const std::string_view step = path->substr(0, end);
  path->remove_prefix(bracket && end < path->size() ? end + 1 : end);
  return step;
}

// Takes the value at a path out of its object; an item of a list with the whole list, since the
// others would get its index.
void EraseAt(std::string_view path, Json* value) {
  JsonObject* owner = nullptr;  // of the innermost object that was passed
  std::string_view member;
  while (!path.empty()) {
    const std::string_view step = TakeStep(&path);
    if (value->is_object()) {
      owner = &value->as_object();
      member = step;
      value = owner->Find(step);
    } else if (value->is_array()) {
      const auto index = ParseInt64(step);
      const auto size = static_cast<std::int64_t>(value->as_array().size());
      value = index && *index >= 0 && *index < size
                  ? &value->as_array()[static_cast<std::size_t>(*index)]
                  : nullptr;
    } else {
      return;
    }
    if (value == nullptr) return;
  }
  if (owner != nullptr) owner->Erase(member);
}

// The object without the values that do not read as what they should be: the rest can be judged.
Json WithoutUnreadable(const ResourceInfo& resource, const FieldErrors& structure, Json object) {
  for (const FieldError& error : structure) {
    if (error.type == FieldErrorType::kTypeInvalid || error.type == FieldErrorType::kInvalid)
      EraseAt(error.path, &object);
  }
  ApplyDefaults(*resource.schema, &object);
  return object;
}

// Whether `outer` is the path of the field `inner` is in, or the same.
bool Covers(std::string_view outer, std::string_view inner) {
  if (inner.substr(0, outer.size()) != outer) return false;
  return inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

// Kubernetes lets owners of one uid differ, although apply knows them by it.
FieldErrors WithoutSharedUids(FieldErrors errors) {
  std::erase_if(errors, [](const FieldError& error) {
    return error.type == FieldErrorType::kDuplicate &&
           error.path.starts_with("metadata.ownerReferences[");
  });
  return errors;
}

// Whether all but the status is as it was. The kinds of these groups have no rules for that beyond
// its structure.
bool OnlyStatusDiffers(const ResourceInfo& resource, const Json& object, const Json& old) {
  if (!resource.has_status || resource.group.empty()) return false;
  if (!object.is_object() || !old.is_object()) return false;
  return SameBeside({"status"}, object, old);
}

ValidationResult ValidateAll(const ResourceInfo& resource, const Json& object, const Json* old) {
  FieldErrors structure = WithoutSharedUids(ValidateStructure(*resource.schema, object));
  // What did not change is let pass, whatever it means.
  if (structure.empty() && old != nullptr && OnlyStatusDiffers(resource, object, *old)) return {};
  ValidationResult out =
      structure.empty()
          ? ValidateMeaning(resource, object, old)
          : ValidateMeaning(resource, WithoutUnreadable(resource, structure, object), old);
  const auto is_hidden = [&structure](const FieldError& error) {
    return error.path.empty() ||
           std::any_of(structure.begin(), structure.end(), [&error](const FieldError& known) {
             return Covers(known.path, error.path) || Covers(error.path, known.path);
           });
  };
  if (!structure.empty())
    out.errors.erase(std::remove_if(out.errors.begin(), out.errors.end(), is_hidden),
                     out.errors.end());
  if (!structure.empty() && old != nullptr)
    DropUnchanged(ValidateStructure(*resource.schema, *old), &structure);
  Append(std::move(out.errors), &structure);
  out.errors = std::move(structure);
  return out;
}

}  // namespace

ValidationResult ValidateNewObject(const ResourceInfo& resource, const Json& object) {
  return ValidateAll(resource, object, nullptr);
}

ValidationResult ValidateChangedObject(const ResourceInfo& resource, const Json& object,
                                       const Json& old) {
  return ValidateAll(resource, object, &old);
}

}  // namespace asyncops
