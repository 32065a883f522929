// The request target of a request line, taken apart.
#ifndef ASYNCOPS_APISERVER_HTTP_REQUEST_TARGET_H_
#define ASYNCOPS_APISERVER_HTTP_REQUEST_TARGET_H_

#include <string_view>

#include "apiserver/http/request.h"
#include "base/status.h"

namespace asyncops::http {

// Sets path and query of the request from an origin-form ("/a?b=c") or absolute-form target; each
// is decoded once. BadRequest for any other form, a fragment, a broken escape, or an encoded NUL.
Status ReadRequestTarget(std::string_view target, Request* request);

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_REQUEST_TARGET_H_
