#include "apiserver/handlers/history.h"

#include <charconv>
#include <utility>

#include "base/limits.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

void SetText(std::string_view name, const std::string& value, JsonObject* out) {
  if (!value.empty()) out->Set(name, value);
}

Json AttemptToJson(const storage::Attempt& attempt) {
  JsonObject out;
  out.Set("sequence", attempt.sequence);
  out.Set("submission", attempt.submission);
  out.Set("time", FormatMicroTime(attempt.at));
  out.Set("action", attempt.action);
  SetText("method", attempt.method, &out);
  SetText("url", attempt.url, &out);
  if (attempt.http_status != 0) out.Set("httpStatus", attempt.http_status);
  SetText("errorClass", attempt.error_class, &out);
  SetText("message", attempt.message, &out);
  out.Set("state", attempt.state);
  SetText("nextStep", attempt.next_step, &out);
  if (attempt.next_attempt_at) out.Set("nextAttemptTime", FormatTime(*attempt.next_attempt_at));
  out.Set("shard", attempt.shard);
  out.Set("ownerEpoch", attempt.owner_epoch);
  return out;
}

Result<std::int64_t> ParseAfter(const http::Query& query) {
  const std::string_view text = query.Get("after");
  std::int64_t after = 0;
  if (text.empty()) return after;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), after);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (!whole || after < 0) return BadRequest("after must be the sequence of an attempt");
  return after;
}

}  // namespace

Result<Json> ReadHistory(const storage::EngineReader& engine, const ResourceInfo& resource,
                         const storage::Record& operation, const http::Query& query) {
  const Result<std::int64_t> after = ParseAfter(query);
  if (!after.ok()) return after.status();
  const Result<std::vector<storage::Attempt>> attempts =
      engine.History(operation.uid, *after, kMaxHistoryRows);
  if (!attempts.ok()) return attempts.status();
  JsonArray items;
  for (const storage::Attempt& attempt : *attempts) items.push_back(AttemptToJson(attempt));
  JsonObject metadata;
  metadata.Set("name", operation.key.name);
  metadata.Set("namespace", operation.key.namespace_name);
  metadata.Set("uid", operation.uid);
  if (attempts->size() == static_cast<std::size_t>(kMaxHistoryRows))
    metadata.Set("continue", std::to_string(attempts->back().sequence));
  return Json::Of({{"kind", "AsyncOperationHistory"},
                   {"apiVersion", resource.GroupVersion()},
                   {"metadata", std::move(metadata)},
                   {"items", std::move(items)}});
}

}  // namespace asyncops::apiserver
