// Where JSON bodies and failures get their headers.
#ifndef ASYNCOPS_APISERVER_HANDLERS_RESPOND_H_
#define ASYNCOPS_APISERVER_HANDLERS_RESPOND_H_

#include <string>
#include <string_view>

#include "apiserver/http/response.h"
#include "base/status.h"

namespace asyncops::apiserver {

// The Status as http::StatusResponse makes it, with Cache-Control: no-cache, private, and nosniff
// on a refusal.
http::Response ErrorResponse(const Status& status);
// The same of an Expired list, with the token that goes on with the rest as it is now.
http::Response ExpiredResponse(const Status& status, std::string_view continue_token);
// A JSON body with Content-Type and Cache-Control: no-cache, private.
http::Response JsonResponse(int code, std::string json);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_RESPOND_H_
