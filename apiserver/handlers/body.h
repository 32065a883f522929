// Request bodies: content types, syntax, and the options that come with them.
#ifndef ASYNCOPS_APISERVER_HANDLERS_BODY_H_
#define ASYNCOPS_APISERVER_HANDLERS_BODY_H_

#include "apiserver/http/request.h"
#include "apiserver/registry/registry.h"
#include "base/status.h"

namespace asyncops::apiserver {

// An object in JSON or YAML, by its Content-Type (JSON where there is none). UnsupportedMediaType
// names what is accepted; BadRequest says where the text does not parse.
Result<DecodedBody> DecodeBody(const http::Request& request);

// The kind of patch, by Content-Type. UnsupportedMediaType names the two that are accepted.
Result<PatchType> PatchTypeOf(const http::Request& request);

// dryRun and fieldValidation of a write, and the checks of its other options. `verb` is create,
// update or patch. Invalid where one has a value that is not supported.
Result<WriteOptions> WriteOptionsOf(const http::Request& request, std::string_view verb);

// DeleteOptions from the body, or from the query where there is none. Invalid for what is not
// supported.
Result<DeleteOptions> DeleteOptionsOf(const http::Request& request);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_BODY_H_
