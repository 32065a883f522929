#include "apiserver/registry/pipeline.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/asyncops/v1alpha1/steps.h"
#include "api/meta/object.h"
#include "api/schema/walk.h"
#include "api/validators.h"
#include "apiserver/registry/requester.h"
#include "base/limits.h"
#include "base/rfc3339.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// Set by the server alone; a client's values are passed over.
constexpr std::array<std::string_view, 6> kServerSet = {
    "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "generation", "selfLink"};

void CopyMember(const Json& from, std::string_view name, JsonObject* to) {
  const Json* value = from.Find(name);
  if (value == nullptr) {
    to->Erase(name);
  } else {
    to->Set(name, *value);
  }
}

// The object with the body's status. Most of the body is what the object has: that is kept, since
// to compare costs less than to copy.
Json WithStatusOf(const Json& object, Json body) {
  JsonObject& out = body.as_object();
  std::vector<std::string> foreign;
  for (const JsonMember& member : out) {
    if (member.name != "status" && !object.as_object().Has(member.name))
      foreign.push_back(member.name);
  }
  for (const std::string& name : foreign) out.Erase(name);
  for (const JsonMember& member : object.as_object()) {
    if (member.name == "status") continue;
    const Json* given = out.Find(member.name);
    if (given == nullptr || !(*given == member.value)) out.Set(member.name, member.value);
  }
  return body;
}

Status WrongKind(const ResourceInfo& resource, std::string_view kind, std::string_view version) {
  return BadRequest(std::string(kind) + " in version \"" + std::string(version) +
                    "\" cannot be handled as a " + resource.kind +
                    ": the kind of the object does not match the resource");
}

// Fills in the request's namespace; another one is refused, but "default" on what has none.
Status CheckNamespace(const Target& target, Json* object) {
  const std::string& requested = target.namespace_name;
  const std::string named(object->StringAt({"metadata", "namespace"}));
  JsonObject& meta = object->ObjectAt("metadata");
  if (requested.empty() && (named.empty() || named == "default")) {
    meta.Erase("namespace");
    return Status::Ok();
  }
  if (named.empty() || named == requested) {
    meta.Set("namespace", requested);
    return Status::Ok();
  }
  if (!target.name) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return BadRequest("the namespace of the object (" + named +
                    ") does not match the namespace on the request (" + requested + ")");
}

Status CheckName(const std::string& requested, const Json& object) {
  const std::string_view name = object.StringAt({"metadata", "name"});
  if (name == requested) return Status::Ok();
  if (name.empty()) {
    return BadRequest("the name of the object (" + requested +
                      " based on URL) was undeterminable: name must be provided");
  }
  return BadRequest("the name of the object (" + std::string(name) +
                    ") does not match the name on the URL (" + requested + ")");
}

// Keeps the first of equal owners, as kube-apiserver does, and says so.
void DropDuplicateOwners(Json* object, std::vector<std::string>* warnings) {
  Json* metadata = object->Find("metadata");
  Json* owners = metadata == nullptr ? nullptr : metadata->Find("ownerReferences");
  if (owners == nullptr || !owners->is_array() || owners->as_array().size() < 2) return;
  std::set<std::string> seen;
  JsonArray kept;
  std::string dropped;
  for (Json& owner : owners->as_array()) {
    if (seen.insert(EncodeJson(owner)).second) {
      kept.push_back(std::move(owner));
    } else {
      dropped.append(dropped.empty() ? "" : ", ").append(owner.StringAt({"uid"}));
    }
  }
  *owners = std::move(kept);
  if (dropped.empty()) return;
  warnings->push_back(
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
      "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "
      "UID(s) observed: " +
      dropped);
}

// What the body does not say of its kind the URL says; not so of a custom resource.
void NameKind(const ResourceInfo& resource, Json* object) {
  if (resource.group == kAsyncopsGroup) return;
  if (object->StringAt({"kind"}).empty()) object->Set("kind", resource.kind);
  if (object->StringAt({"apiVersion"}).empty()) object->Set("apiVersion", resource.GroupVersion());
}

}  // namespace

Status CheckBody(const ResourceInfo& resource, const Target& target, Json* object) {
  if (!object->is_object())
    return BadRequest("the body must be a JSON object, not a JSON " +
                      std::string(JsonTypeName(object->type())));
  NameKind(resource, object);
  const std::string_view kind = object->StringAt({"kind"});
  const std::string_view version = object->StringAt({"apiVersion"});
  if (kind.empty()) return BadRequest("Object 'Kind' is missing in the request body");
  if (version.empty()) return BadRequest("Object 'apiVersion' is missing in the request body");
  if (version != resource.GroupVersion()) {
    return BadRequest("the API version in the data (" + std::string(version) +
                      ") does not match the expected API version (" + resource.GroupVersion() +
                      ")");
  }
  if (kind != resource.kind) return WrongKind(resource, kind, version);
  const Json* metadata = object->Find("metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null())
    return BadRequest("metadata must be an object");
  object->ObjectAt("metadata");
  ASYNCOPS_RETURN_IF_ERROR(CheckNamespace(target, object));
  return target.name ? CheckName(*target.name, *object) : Status::Ok();
}

std::vector<std::string> TakeFieldMistakes(const ResourceInfo& resource,
                                           const std::vector<std::string>& duplicate_fields,
                                           Json* object) {
  std::vector<std::string> mistakes;
  for (const std::string& path : PruneUnknownFields(*resource.schema, object))
    mistakes.push_back("unknown field \"" + path + "\"");
  for (const std::string& path : duplicate_fields)
    mistakes.push_back("duplicate field \"" + path + "\"");
  return mistakes;
}

std::string StrictDecodingError(const std::vector<std::string>& mistakes) {
  // More than anybody mends at once.
  constexpr std::size_t kMost = 100;
  const std::size_t told = std::min(mistakes.size(), kMost);
  std::string message = "strict decoding error: ";
  for (std::size_t i = 0; i < told; ++i) message += (i == 0 ? "" : ", ") + mistakes[i];
  if (told < mistakes.size())
    message += ", and " + std::to_string(mistakes.size() - told) + " more";
  return message;
}

Status CheckFields(const ResourceInfo& resource, FieldValidation mode, Json* object,
                   const std::vector<std::string>& duplicate_fields,
                   std::vector<std::string>* warnings) {
  DropDuplicateOwners(object, warnings);
  const std::vector<std::string> found = TakeFieldMistakes(resource, duplicate_fields, object);
  if (found.empty() || mode == FieldValidation::kIgnore) return Status::Ok();
  if (mode == FieldValidation::kWarn) {
    warnings->insert(warnings->end(), found.begin(), found.end());
    return Status::Ok();
  }
  return BadRequest(resource.kind + " in version \"" + resource.version +
                    "\" cannot be handled as a " + resource.kind + ": " +
                    StrictDecodingError(found));
}

void SetNewMetadata(const ResourceInfo& resource, const std::string& uid, Time now, Json* object) {
  JsonObject& meta = object->ObjectAt("metadata");
  for (const std::string_view name : kServerSet) meta.Erase(name);
  meta.Set("uid", uid);
  meta.Set("creationTimestamp", FormatTime(now));
  if (resource.has_status) {
    meta.Set("generation", 1);
    object->as_object().Erase("status");
  }
}

Json MergeUpdate(const ResourceInfo& resource, const std::string& subresource, const Json& old,
                 Json body) {
  if (subresource == "status") return WithStatusOf(old, std::move(body));
  if (resource.has_status) CopyMember(old, "status", &body.as_object());
  const Json& old_meta = *old.Find("metadata");
  JsonObject& meta = body.ObjectAt("metadata");
  for (const std::string_view name : kServerSet) CopyMember(old_meta, name, &meta);
  CopyMember(old_meta, "resourceVersion", &meta);
  // What a namespace's spec says is the server's: it holds the namespace until it is empty.
  if (resource.group.empty() && resource.plural == "namespaces")
    CopyMember(old, "spec", &body.as_object());
  if (!meta.Has("managedFields")) CopyMember(old_meta, "managedFields", &meta);
  return body;
}

Status FinishObject(const ResourceInfo& resource, const Json* old, PreparedObject* prepared) {
  Json& object = prepared->object;
  ApplyDefaults(*resource.schema, &object);
  if (prepared->writer) StampRequester(resource, prepared->user, old, &object);
  if (old != nullptr && resource.has_status && !SameBeside({"metadata", "status"}, object, *old))
    object.ObjectAt("metadata").Set("generation", old->IntAt({"metadata", "generation"}, 0) + 1);
  ValidationResult result = old == nullptr ? ValidateNewObject(resource, object)
                                           : ValidateChangedObject(resource, object, *old);
  for (std::string& warning : result.warnings) prepared->warnings.push_back(std::move(warning));
  if (!result.errors.empty())
    return InvalidObject(resource.group, resource.kind, object.StringAt({"metadata", "name"}),
                         result.errors);
  if (prepared->writer) FinishManagedFields(resource, *prepared->writer, old, &object);
  prepared->version = storage::MakeObjectVersion(resource, object);
  if (prepared->version.encoded.json.size() <= kMaxObjectBytes) return Status::Ok();
  return {Reason::kRequestEntityTooLarge,
          "the object is too large: limit is " + std::to_string(kMaxObjectBytes) + " bytes"};
}

}  // namespace asyncops::apiserver
