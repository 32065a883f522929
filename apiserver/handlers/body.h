// Request bodies: content types and syntax.
#ifndef ASYNCOPS_APISERVER_HANDLERS_BODY_H_
#define ASYNCOPS_APISERVER_HANDLERS_BODY_H_

#include "api/scheme.h"
#include "apiserver/http/request.h"
#include "apiserver/registry/registry.h"
#include "base/status.h"

namespace asyncops::apiserver {

// An object in JSON, YAML or (protobuf_body.h) protobuf, by its Content-Type (JSON where there is
// none). UnsupportedMediaType names what is accepted; BadRequest says where the text does not
// parse.
Result<DecodedBody> DecodeBody(const http::Request& request);

struct DecodedPatch {
  PatchType type = PatchType::kMerge;
  DecodedBody body;
};

// A patch and its kind, by Content-Type; the configuration of an apply is YAML or JSON. kubectl
// patches the core kinds by strategic merge patch: for these it is taken as a merge patch, which
// for what they hold (maps, not lists) is the same; one with a directive ("$patch") is a
// BadRequest. UnsupportedMediaType names what the resource accepts.
Result<DecodedPatch> DecodePatch(const http::Request& request, const ResourceInfo& resource);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_BODY_H_
