// The one place where a Status becomes an HTTP response, and where JSON bodies get their headers.
#ifndef ASYNCOPS_APISERVER_HANDLERS_RESPOND_H_
#define ASYNCOPS_APISERVER_HANDLERS_RESPOND_H_

#include <string>

#include "apiserver/http/response.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::apiserver {

// {"kind":"Status",...} of a failure, as in wire order of metav1.Status.
Json StatusToJson(const Status& status);
// With code, Content-Type, Cache-Control: no-cache, private, and Retry-After where the details say
// so.
http::Response ErrorResponse(const Status& status);
// A JSON body with the same headers.
http::Response JsonResponse(int code, std::string json);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_RESPOND_H_
