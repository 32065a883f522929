#include "apiserver/handlers/respond.h"

#include <utility>

#include "apiserver/http/status_response.h"
#include "base/json.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kNotCached = "no-cache, private";

}  // namespace

http::Response JsonResponse(int code, std::string json) {
  http::Response response;
  response.status = code;
  response.headers.Reserve(4);
  response.headers.Add("Content-Type", "application/json");
  response.headers.Add("Cache-Control", std::string(kNotCached));
  response.body = std::move(json);
  return response;
}

http::Response ErrorResponse(const Status& status) {
  http::Response response = http::StatusResponse(status);
  response.headers.Add("Cache-Control", std::string(kNotCached));
  if (status.reason() == Reason::kForbidden)
    response.headers.Add("X-Content-Type-Options", "nosniff");
  return response;
}

http::Response ExpiredResponse(const Status& status, std::string_view continue_token) {
  http::Response response = ErrorResponse(status);
  Json body = http::StatusJson(status);
  body.ObjectAt("metadata").Set("continue", continue_token);
  response.body = EncodeJson(body) + "\n";
  return response;
}

}  // namespace asyncops::apiserver
