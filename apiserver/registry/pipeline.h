// From a body as it came to an object as it is stored: checks, server-set metadata, defaults,
// validation. Pure over JSON; what kube-apiserver refuses here is refused in its words.
#ifndef ASYNCOPS_APISERVER_REGISTRY_PIPELINE_H_
#define ASYNCOPS_APISERVER_REGISTRY_PIPELINE_H_

#include <optional>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "apiserver/registry/field_manager.h"
#include "apiserver/registry/registry.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "storage/record.h"

namespace asyncops::apiserver {

struct PreparedObject {
  Json object;
  // The object as it is stored; set by FinishObject.
  storage::ObjectVersion version;
  std::vector<std::string> warnings;
  // Nothing leaves managedFields as they are.
  std::optional<fieldmanager::FieldManager> writer = std::nullopt;
  // Who writes; with a writer, what is asked of the engine is asked by this user.
  std::string user = {};
};

// Where a body is meant for.
struct Target {
  std::string namespace_name;
  // Nothing where the body names it (create).
  std::optional<std::string> name = std::nullopt;
};

// Kind, apiVersion, namespace and name against the URL; a missing namespace is filled in.
// BadRequest.
Status CheckBody(const ResourceInfo& resource, const Target& target, Json* object);

// Takes unknown fields out of the object, and names them and the duplicate ones as strict decoding
// does: `unknown field "spec.x"`.
std::vector<std::string> TakeFieldMistakes(const ResourceInfo& resource,
                                           const std::vector<std::string>& duplicate_fields,
                                           Json* object);
// "strict decoding error: ..." of these.
std::string StrictDecodingError(const std::vector<std::string>& mistakes);

// Removes owner references that stand there twice, with a warning, and unknown fields; reports
// these, with the duplicate ones: as a BadRequest where `mode` is strict, as warnings where it is
// to warn. The value of a wrong type is FinishObject's.
Status CheckFields(const ResourceInfo& resource, FieldValidation mode, Json* object,
                   const std::vector<std::string>& duplicate_fields,
                   std::vector<std::string>* warnings);

// metadata of a new object: uid, creationTimestamp, generation; what only the server sets is wiped.
void SetNewMetadata(const ResourceInfo& resource, const std::string& uid, Time now, Json* object);

// The object that an update makes of `old` and the body: on the main resource status and server-set
// metadata stay, on `status` everything but the status does; generation moves with the spec.
Json MergeUpdate(const ResourceInfo& resource, const std::string& subresource, const Json& old,
                 Json body);

// Defaults, structure, the kind's own rules, managedFields by `prepared->writer`, and the size;
// what is to be stored. `old` is null at creation, else it has its defaults. Invalid with every
// mistake, or RequestEntityTooLarge.
Status FinishObject(const ResourceInfo& resource, const Json* old, PreparedObject* prepared);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_PIPELINE_H_
