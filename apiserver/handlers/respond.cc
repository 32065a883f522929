#include "apiserver/handlers/respond.h"

#include <utility>

namespace asyncops::apiserver {
namespace {

Json CauseToJson(const StatusCause& cause) {
  JsonObject out;
  if (!cause.reason.empty()) out.Set("reason", cause.reason);
  if (!cause.message.empty()) out.Set("message", cause.message);
  if (!cause.field.empty()) out.Set("field", cause.field);
  return out;
}

Json DetailsToJson(const StatusDetails& details) {
  JsonObject out;
  if (!details.name.empty()) out.Set("name", details.name);
  if (!details.group.empty()) out.Set("group", details.group);
  if (!details.kind.empty()) out.Set("kind", details.kind);
  if (!details.uid.empty()) out.Set("uid", details.uid);
  if (!details.causes.empty()) {
    JsonArray causes;
    for (const StatusCause& cause : details.causes) causes.push_back(CauseToJson(cause));
    out.Set("causes", std::move(causes));
  }
  if (details.retry_after_seconds > 0) out.Set("retryAfterSeconds", details.retry_after_seconds);
  return out;
}

}  // namespace

Json StatusToJson(const Status& status) {
  JsonObject out;
  out.Set("kind", "Status");
  out.Set("apiVersion", "v1");
  out.Set("metadata", JsonObject());
  out.Set("status", status.ok() ? "Success" : "Failure");
  if (!status.message().empty()) out.Set("message", status.message());
  if (!status.ok()) out.Set("reason", ReasonName(status.reason()));
  if (!(status.details() == StatusDetails())) out.Set("details", DetailsToJson(status.details()));
  out.Set("code", HttpCode(status.reason()));
  return out;
}

http::Response JsonResponse(int code, std::string json) {
  http::Response response;
  response.status = code;
  response.headers.Add("Content-Type", "application/json");
  response.headers.Add("Cache-Control", "no-cache, private");
  response.body = std::move(json);
  return response;
}

http::Response ErrorResponse(const Status& status) {
  http::Response response =
      JsonResponse(HttpCode(status.reason()), EncodeJson(StatusToJson(status)) + "\n");
  if (const int seconds = status.details().retry_after_seconds; seconds > 0)
    response.headers.Add("Retry-After", std::to_string(seconds));
  if (status.reason() == Reason::kForbidden)
    response.headers.Add("X-Content-Type-Options", "nosniff");
  return response;
}

}  // namespace asyncops::apiserver
