#include "reconciler/operation_memo.h"

#include <utility>

#include "api/schema/binding.h"
#include "base/limits.h"

namespace asyncops::reconciler {
namespace {

Json EncodeInstant(const std::optional<Time>& time) {
  return time ? Json(time->time_since_epoch().count()) : Json();
}

std::optional<Time> DecodeInstant(const Json& json, std::string_view name) {
  const Json* value = json.Find(name);
  if (value == nullptr || !value->is_int()) return std::nullopt;
  return Time(Duration(value->as_int()));
}

int SmallInt(const Json& json, std::string_view name) {
  return static_cast<int>(json.IntAt({name}, 0));
}

bool Flag(const Json& json, std::string_view name) { return json.IntAt({name}, 0) != 0; }

// Keeps the text small: most members are empty most of the time.
void SetIfNotEmpty(JsonObject* out, std::string_view name, Json value) {
  const bool empty = value.is_null() || (value.is_string() && value.as_string().empty()) ||
                     (value.is_int() && value.as_int() == 0) ||
                     (value.is_array() && value.as_array().empty());
  if (!empty) out->Set(name, std::move(value));
}

Json EncodeFetch(const std::optional<RenderedRequest>& fetch) {
  if (!fetch) return {};
  return Json::Of({{"method", fetch->method},
                   {"url", fetch->url},
                   {"headers", EncodeHeaders(fetch->headers)},
                   {"body", fetch->body}});
}

Status DecodeFetch(const Json& json, std::optional<RenderedRequest>* out) {
  const Json* fetch = json.Find("fetch");
  if (fetch == nullptr) return Status::Ok();
  Result<std::vector<RenderedHeader>> headers =
      DecodeHeaders(std::string(fetch->StringAt({"headers"})));
  if (!headers.ok()) return headers.status();
  *out = RenderedRequest{.method = std::string(fetch->StringAt({"method"})),
                         .url = std::string(fetch->StringAt({"url"})),
                         .headers = std::move(*headers),
                         .body = std::string(fetch->StringAt({"body"}))};
  return Status::Ok();
}

}  // namespace

std::string EncodeMemo(const OperationMemo& memo) {
  JsonObject out;
  SetIfNotEmpty(&out, "progress", memo.progress);
  SetIfNotEmpty(&out, "outputs", memo.outputs);
  SetIfNotEmpty(&out, "failures", Codec<std::vector<FailureDetail>>::Encode(memo.failures));
  SetIfNotEmpty(&out, "startTime", EncodeInstant(memo.start_time));
  SetIfNotEmpty(&out, "code", memo.code);
  SetIfNotEmpty(&out, "message", memo.message);
  SetIfNotEmpty(&out, "throttledUntil", EncodeInstant(memo.throttled_until));
  SetIfNotEmpty(&out, "events", memo.events);
  SetIfNotEmpty(&out, "notSent", memo.not_sent ? 1 : 0);
  SetIfNotEmpty(&out, "maybeStarted", memo.maybe_started ? 1 : 0);
  SetIfNotEmpty(&out, "exists", memo.exists ? 1 : 0);
  SetIfNotEmpty(&out, "rejected", memo.rejected ? 1 : 0);
  SetIfNotEmpty(&out, "resendAt", EncodeInstant(memo.resend_at));
  SetIfNotEmpty(&out, "conflicts", memo.conflicts);
  SetIfNotEmpty(&out, "lookups", memo.lookups);
  SetIfNotEmpty(&out, "suspended", memo.suspended ? 1 : 0);
  SetIfNotEmpty(&out, "cancelRefused", memo.cancel_refused ? 1 : 0);
  SetIfNotEmpty(&out, "progressTold", memo.progress_told);
  SetIfNotEmpty(&out, "sharedWith", memo.shared_with);
  SetIfNotEmpty(&out, "cancelReason", memo.cancel_reason);
  SetIfNotEmpty(&out, "cancelSentAt", EncodeInstant(memo.cancel_sent_at));
  SetIfNotEmpty(&out, "cancelFailures", memo.cancel_failures);
  SetIfNotEmpty(&out, "fetch", EncodeFetch(memo.fetch));
  SetIfNotEmpty(&out, "fetchFailures", memo.fetch_failures);
  SetIfNotEmpty(&out, "handledRetry", memo.handled_retry);
  SetIfNotEmpty(&out, "handledCancel", memo.handled_cancel);
  return EncodeJson(Json(std::move(out)));
}

Result<OperationMemo> DecodeMemo(const std::string& text) {
  OperationMemo memo;
  if (text.empty()) return memo;
  const Result<Json> parsed = ParseJson(text);
  if (!parsed.ok()) return InternalError("damaged notes of an operation");
  const Json& json = *parsed;
  memo.progress = json.StringAt({"progress"});
  if (const Json* outputs = json.Find("outputs")) memo.outputs = *outputs;
  if (const Json* failures = json.Find("failures"))
    ASYNCOPS_RETURN_IF_ERROR(Codec<std::vector<FailureDetail>>::Decode(*failures, &memo.failures));
  memo.start_time = DecodeInstant(json, "startTime");
  memo.code = json.StringAt({"code"});
  memo.message = json.StringAt({"message"});
  memo.throttled_until = DecodeInstant(json, "throttledUntil");
  memo.events = json.IntAt({"events"}, 0);
  memo.not_sent = Flag(json, "notSent");
  memo.maybe_started = Flag(json, "maybeStarted");
  memo.exists = Flag(json, "exists");
  memo.rejected = Flag(json, "rejected");
  memo.resend_at = DecodeInstant(json, "resendAt");
  memo.conflicts = SmallInt(json, "conflicts");
  memo.lookups = SmallInt(json, "lookups");
  memo.suspended = Flag(json, "suspended");
  memo.cancel_refused = Flag(json, "cancelRefused");
  memo.progress_told = SmallInt(json, "progressTold");
  memo.shared_with = json.StringAt({"sharedWith"});
  memo.cancel_reason = json.StringAt({"cancelReason"});
  memo.cancel_sent_at = DecodeInstant(json, "cancelSentAt");
  memo.cancel_failures = SmallInt(json, "cancelFailures");
  ASYNCOPS_RETURN_IF_ERROR(DecodeFetch(json, &memo.fetch));
  memo.fetch_failures = SmallInt(json, "fetchFailures");
  memo.handled_retry = json.StringAt({"handledRetry"});
  memo.handled_cancel = json.StringAt({"handledCancel"});
  return memo;
}

void AddFailure(OperationMemo* memo, FailureDetail failure) {
  memo->failures.insert(memo->failures.begin(), std::move(failure));
  if (memo->failures.size() > kMaxFailureDetails) memo->failures.resize(kMaxFailureDetails);
}

}  // namespace asyncops::reconciler
