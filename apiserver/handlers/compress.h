// The last step of an answer: large bodies go out compressed.
#ifndef ASYNCOPS_APISERVER_HANDLERS_COMPRESS_H_
#define ASYNCOPS_APISERVER_HANDLERS_COMPRESS_H_

#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// With gzip where the body is longer than 128 KiB, as kube-apiserver (level 1, Vary). A streamed
// body is read that far to see, and becomes a whole one where it ends before; not for watches,
// which would be held back.
void Compress(http::Response* response);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_COMPRESS_H_
