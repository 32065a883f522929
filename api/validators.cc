#include "api/validators.h"

#include <algorithm>
#include <array>

#include "api/asyncops/v1alpha1/ratchet.h"
#include "api/core/v1/validation.h"
#include "api/meta/object_meta.h"
#include "api/operations/v1alpha1/validation.h"
#include "api/schema/binding.h"
#include "api/schema/walk.h"
#include "api/unsupported_fields.h"

namespace asyncops {
namespace {

// The rules of one kind. `old` is null on creation.
using KindValidator = Result<ValidationResult> (*)(const Json& object, const Json* old);

template <class T, ValidationResult (*kValidate)(const T&),
          ValidationResult (*kValidateUpdate)(const T&, const T&)>
Result<ValidationResult> ValidateKind(const Json& object, const Json* old) {
  const Result<T> decoded = DecodeAs<T>(object);
  if (!decoded.ok()) return decoded.status();
  if (old == nullptr) return kValidate(*decoded);
  const Result<T> decoded_old = DecodeAs<T>(*old);
  // A stored object that no longer decodes cannot excuse anything.
  if (!decoded_old.ok()) return kValidate(*decoded);
  return kValidateUpdate(*decoded, *decoded_old);
}

ValidationResult NamespaceCreate(const core::Namespace& object) {
  return {core::ValidateNamespace(object), {}};
}
ValidationResult NamespaceUpdate(const core::Namespace& object, const core::Namespace& /*old*/) {
  return {core::ValidateNamespace(object), {}};
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

void Append(FieldErrors from, FieldErrors* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

// Reports metadata that does not decode as one error, which structural validation words better.
FieldErrors CheckMetadata(const ResourceInfo& resource, const Json& object, const Json* old) {
  const Json* metadata = object.Find("metadata");
  if (metadata == nullptr) return {RequiredField("metadata", "give a name")};
  const Result<ObjectMeta> meta = DecodeAs<ObjectMeta>(*metadata);
  if (!meta.ok()) return {InvalidField("metadata", Json(), meta.status().message())};
  FieldErrors errors = ValidateObjectMeta(*meta, resource.namespaced);
  if (old == nullptr) return errors;
  const Json* old_metadata = old->Find("metadata");
  if (old_metadata == nullptr) return errors;
  const Result<ObjectMeta> old_meta = DecodeAs<ObjectMeta>(*old_metadata);
  if (!old_meta.ok()) return errors;
  if (!errors.empty()) DropUnchanged(ValidateObjectMeta(*old_meta, resource.namespaced), &errors);
  Append(ValidateObjectMetaUpdate(*meta, *old_meta), &errors);
  return errors;
}

ValidationResult ValidateMeaning(const ResourceInfo& resource, const Json& object,
                                 const Json* old) {
  ValidationResult out{CheckMetadata(resource, object, old), {}};
  FieldErrors unsupported = FindUnsupportedFields(resource.kind, object);
  if (!unsupported.empty() && old != nullptr)
    DropUnchanged(FindUnsupportedFields(resource.kind, *old), &unsupported);
  Append(std::move(unsupported), &out.errors);
  for (const KindRow& row : kKinds) {
    if (row.kind != resource.kind) continue;
    Result<ValidationResult> result = row.validate(object, old);
    if (!result.ok()) {
      out.errors.push_back(InvalidField("", Json(), result.status().message()));
      break;
    }
    Append(std::move(result->errors), &out.errors);
    out.warnings = std::move(result->warnings);
  }
  return out;
}

// Whether `outer` is the path of the field `inner` is in, or the same.
bool Covers(std::string_view outer, std::string_view inner) {
  if (inner.substr(0, outer.size()) != outer) return false;
  return inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

ValidationResult ValidateAll(const ResourceInfo& resource, const Json& object, const Json* old) {
  FieldErrors structure = ValidateStructure(*resource.schema, object);
  ValidationResult out = ValidateMeaning(resource, object, old);
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
