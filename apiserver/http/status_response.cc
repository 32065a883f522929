#include "apiserver/http/status_response.h"

#include <utility>

namespace asyncops::http {
namespace {

Json CauseJson(const StatusCause& cause) {
  Json json = Json::Of({});
  if (!cause.reason.empty()) json.Set("reason", cause.reason);
  if (!cause.message.empty()) json.Set("message", cause.message);
  if (!cause.field.empty()) json.Set("field", cause.field);
  return json;
}

Json DetailsJson(const StatusDetails& details) {
  Json json = Json::Of({});
  if (!details.name.empty()) json.Set("name", details.name);
  if (!details.group.empty()) json.Set("group", details.group);
  if (!details.kind.empty()) json.Set("kind", details.kind);
  if (!details.uid.empty()) json.Set("uid", details.uid);
  if (!details.causes.empty()) {
    JsonArray causes;
    for (const StatusCause& cause : details.causes) causes.push_back(CauseJson(cause));
    json.Set("causes", std::move(causes));
  }
  if (details.retry_after_seconds > 0) json.Set("retryAfterSeconds", details.retry_after_seconds);
  return json;
}

Json FailureJson(int code, std::string_view reason, std::string_view message, Json details) {
  Json json = Json::Of({{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"metadata", Json::Of({})},
                        {"status", "Failure"},
                        {"message", message},
                        {"code", code}});
  if (!reason.empty()) json.Set("reason", reason);
  if (!details.as_object().empty()) json.Set("details", std::move(details));
  return json;
}

Response Failure(int code, const Json& json) {
  Response response;
  response.status = code;
  response.headers.Add("Content-Type", "application/json");
  response.body = EncodeJson(json);
  response.body.push_back('\n');
  return response;
}

}  // namespace

Json StatusJson(const Status& status) {
  return FailureJson(HttpCode(status.reason()), ReasonName(status.reason()), status.message(),
                     DetailsJson(status.details()));
}

Json SuccessJson(const StatusDetails& details) {
  return Json::Of({{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", Json::Of({})},
                   {"status", "Success"},
                   {"details", DetailsJson(details)}});
}

Response StatusResponse(const Status& status) {
  Response response = Failure(HttpCode(status.reason()), StatusJson(status));
  const int retry_after = status.details().retry_after_seconds;
  if (retry_after > 0) response.headers.Add("Retry-After", std::to_string(retry_after));
  return response;
}

Response StatusResponse(int code, std::string_view message) {
  return Failure(code, FailureJson(code, "", message, Json::Of({})));
}

}  // namespace asyncops::http
