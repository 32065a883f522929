// From the compact JSON that handlers make to the form that the client reads.
#ifndef ASYNCOPS_APISERVER_HANDLERS_RESHAPE_H_
#define ASYNCOPS_APISERVER_HANDLERS_RESHAPE_H_

#include "apiserver/handlers/negotiate.h"
#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// Writes a JSON body (by its Content-Type, which must be plain application/json) in that form; what
// is no JSON stays as it is. A streamed one is rewritten as it streams, with the memory of its
// longest list item: an object with lists of objects, as every list of ours is.
void Reshape(Form form, http::Response* response);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_RESHAPE_H_
