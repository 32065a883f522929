#include "apiserver/handlers/history.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

struct Column {
  std::string_view name;
  std::string_view type;
  std::string_view description;
  int priority;
};

constexpr std::array<Column, 10> kColumns = {{
    {"Sequence", "integer", "Its place, from 1 without a gap.", 0},
    {"Time", "string", "When it was.", 0},
    {"Action", "string", "What was done.", 0},
    {"Status", "string", "The HTTP status of the answer; nothing where none came.", 0},
    {"Class", "string", "How it failed; nothing where it did not.", 0},
    {"State", "string", "The operation's state after it.", 0},
    {"Next-Step", "string", "What follows.", 0},
    {"Method", "string", "The method of the call.", 1},
    {"URL", "string", "Where the call went.", 1},
    {"Message", "string", "What happened.", 1},
}};

AsyncOperationAttempt AttemptOf(const storage::Attempt& attempt) {
  AsyncOperationAttempt out;
  out.sequence = attempt.sequence;
  out.submission = attempt.submission;
  out.time = attempt.at;
  out.action = attempt.action;
  out.method = attempt.method;
  out.url = attempt.url;
  out.http_status = attempt.http_status;
  out.error_class = attempt.error_class;
  out.message = attempt.message;
  out.state = attempt.state;
  out.next_step = attempt.next_step;
  out.next_attempt_time = attempt.next_attempt_at;
  out.shard = attempt.shard;
  out.owner_epoch = attempt.owner_epoch;
  return out;
}

// 0 for all; as of a list, a negative one is none.
Result<std::int64_t> LimitOf(const http::Query& query) {
  const std::string_view text = query.Get("limit");
  if (text.empty()) return std::int64_t{0};
  const std::optional<std::int64_t> limit = ParseInt64(text);
  if (!limit) return BadRequest("limit must be an integer");
  return std::max<std::int64_t>(*limit, 0);
}

// The token is the sequence of the last attempt that was read.
Result<std::int64_t> ReadBefore(const http::Query& query) {
  const std::string_view text = query.Get("continue");
  if (text.empty()) return std::int64_t{0};
  const std::optional<std::int64_t> sequence = ParseInt64(text);
  if (!sequence || *sequence < 1)
    return BadRequest("invalid continue token: it is none that a history gave");
  return *sequence;
}

Json Cells(const AsyncOperationAttempt& attempt) {
  return JsonArray{
      attempt.sequence,    attempt.time ? FormatTime(*attempt.time) : "",
      attempt.action,      attempt.http_status == 0 ? "" : std::to_string(attempt.http_status),
      attempt.error_class, attempt.state,
      attempt.next_step,   attempt.method,
      attempt.url,         attempt.message};
}

}  // namespace

Result<AsyncOperationHistory> ReadHistory(const storage::EngineReader& engine,
                                          const storage::Record& operation,
                                          const http::Query& query) {
  const Result<std::int64_t> limit = LimitOf(query);
  if (!limit.ok()) return limit.status();
  const Result<std::int64_t> after = ReadBefore(query);
  if (!after.ok()) return after.status();
  constexpr std::int64_t kMost = kMaxHistoryRows;
  const auto rows = static_cast<int>(*limit == 0 ? kMost : std::min(*limit, kMost));
  const Result<std::vector<storage::Attempt>> attempts =
      engine.History(operation.uid, *after, rows);
  if (!attempts.ok()) return attempts.status();
  AsyncOperationHistory history;
  history.metadata = {.name = operation.key.name,
                      .namespace_name = operation.key.namespace_name,
                      .uid = operation.uid,
                      .continue_token = ""};
  for (const storage::Attempt& attempt : *attempts) history.items.push_back(AttemptOf(attempt));
  if (static_cast<int>(attempts->size()) < rows) return history;
  // A token is given only where something follows.
  const Result<std::vector<storage::Attempt>> next =
      engine.History(operation.uid, attempts->back().sequence, 1);
  if (!next.ok()) return next.status();
  if (!next->empty()) history.metadata.continue_token = std::to_string(attempts->back().sequence);
  return history;
}

Json HistoryTable(const AsyncOperationHistory& history, std::string_view version) {
  JsonArray columns;
  for (const Column& column : kColumns) {
    columns.push_back(Json::Of({{"name", column.name},
                                {"type", column.type},
                                {"format", ""},
                                {"description", column.description},
                                {"priority", column.priority}}));
  }
  JsonArray rows;
  for (const AsyncOperationAttempt& attempt : history.items)
    rows.push_back(Json::Of({{"cells", Cells(attempt)}, {"object", nullptr}}));
  JsonObject metadata;
  if (const std::string& token = history.metadata.continue_token; !token.empty())
    metadata.Set("continue", token);
  return Json::Of({{"apiVersion", "meta.k8s.io/" + std::string(version)},
                   {"columnDefinitions", std::move(columns)},
                   {"kind", "Table"},
                   {"metadata", std::move(metadata)},
                   {"rows", std::move(rows)}});
}

}  // namespace asyncops::apiserver
