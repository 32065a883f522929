// The last step of an answer: from the compact JSON that handlers make to what goes on the wire.
#ifndef ASYNCOPS_APISERVER_HANDLERS_RESHAPE_H_
#define ASYNCOPS_APISERVER_HANDLERS_RESHAPE_H_

#include "apiserver/handlers/negotiate.h"
#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// Writes a JSON body (by its Content-Type, which must be plain application/json) in that form; what
// is no JSON stays as it is. A streamed one is rewritten as it streams, with the memory of its
// longest list item: an object with lists of objects, as every list of ours is.
void Reshape(Form form, http::Response* response);

// With gzip where the body is longer than 128 KiB, as kube-apiserver (level 1, Vary). A streamed
// body is read that far to see, and becomes a whole one where it ends before; not for watches,
// which would be held back.
void Compress(http::Response* response);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_RESHAPE_H_
