// The options of writes, from query and body.
#ifndef ASYNCOPS_APISERVER_HANDLERS_WRITE_OPTIONS_H_
#define ASYNCOPS_APISERVER_HANDLERS_WRITE_OPTIONS_H_

#include <string_view>

#include "apiserver/http/request.h"
#include "apiserver/registry/registry.h"
#include "base/status.h"

namespace asyncops::apiserver {

// The options of a write: dryRun, fieldValidation, fieldManager (the first part of the User-Agent
// where absent) and, of an apply, force. `verb` is create, update or patch. Invalid where one has a
// value that is not supported.
Result<WriteOptions> WriteOptionsOf(const http::Request& request, std::string_view verb);

// DeleteOptions from the body, or from the query where there is none. Invalid for a value that is
// not supported, BadRequest for one of the wrong type.
Result<DeleteOptions> DeleteOptionsOf(const http::Request& request);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_WRITE_OPTIONS_H_
