#include "apiserver/handlers/history.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/scheme.h"
#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/table.h"
#include "base/ascii.h"
#include "base/limits.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

// The columns of an attempt's row; Cells has their order.
const std::vector<TableColumn>& Columns() {
  static const std::vector<TableColumn> kColumns = {
      {.name = "Time", .type = "string", .description = "When it was."},
      {.name = "Action", .type = "string", .description = "What was done."},
      {.name = "State", .type = "string", .description = "The operation's state after it."},
      {.name = "Status",
       .type = "string",
       .description = "The HTTP status of the answer; the code of the failure where none came."},
      {.name = "Class",
       .type = "string",
       .description = "How it failed; nothing where it did not."},
      {.name = "Next", .type = "string", .description = "What follows, and when."},
      {.name = "Sequence",
       .type = "integer",
       .description = "Its place, from 1 without a gap.",
       .priority = 1},
      {.name = "Submission",
       .type = "integer",
       .description = "Of which submission.",
       .priority = 1},
      {.name = "Method", .type = "string", .description = "The method of the call.", .priority = 1},
      {.name = "URL", .type = "string", .description = "Where the call went.", .priority = 1},
      {.name = "Message", .type = "string", .description = "What happened.", .priority = 1},
      {.name = "Shard",
       .type = "integer",
       .description = "The queue that worked on it.",
       .priority = 1},
      {.name = "Epoch",
       .type = "integer",
       .description = "The owner that wrote it: higher after each start.",
       .priority = 1},
  };
  return kColumns;
}

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

// The token is the sequence of the last attempt that was read.
Result<std::int64_t> ParseContinue(const http::Query& query) {
  const std::string_view text = query.Get("continue");
  if (text.empty()) return std::int64_t{0};
  const std::optional<std::int64_t> sequence = ParseInt64(text);
  if (!sequence || *sequence < 1)
    return BadRequest("invalid continue token: it is none that a history gave");
  return *sequence;
}

// What failed before an answer came is told by its code, which begins the message.
std::string StatusCell(const AsyncOperationAttempt& attempt) {
  if (attempt.http_status != 0) return std::to_string(attempt.http_status);
  if (attempt.error_class.empty()) return "";
  const std::string code = attempt.message.substr(0, attempt.message.find(':'));
  return code.find(' ') == std::string::npos ? code : "";
}

Json Cells(const AsyncOperationAttempt& attempt) {
  return JsonArray{attempt.time ? FormatTime(*attempt.time) : "",
                   attempt.action,
                   attempt.state,
                   StatusCell(attempt),
                   attempt.error_class,
                   attempt.next_step,
                   attempt.sequence,
                   attempt.submission,
                   attempt.method,
                   attempt.url,
                   attempt.message,
                   attempt.shard,
                   attempt.owner_epoch};
}

}  // namespace

Result<AsyncOperationHistory> ReadHistory(const storage::EngineReader& engine,
                                          const storage::Record& operation,
                                          const http::Query& query) {
  const Result<std::int64_t> limit = ParseLimit(query);
  if (!limit.ok()) return limit.status();
  const Result<std::int64_t> after = ParseContinue(query);
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
  JsonArray rows;
  for (const AsyncOperationAttempt& attempt : history.items)
    rows.push_back(Json::Of({{"cells", Cells(attempt)}, {"object", nullptr}}));
  JsonObject metadata;
  if (const std::string& token = history.metadata.continue_token; !token.empty())
    metadata.Set("continue", token);
  return Json::Of({{"apiVersion", "meta.k8s.io/" + std::string(version)},
                   {"columnDefinitions", ColumnDefinitions(Columns())},
                   {"kind", "Table"},
                   {"metadata", std::move(metadata)},
                   {"rows", std::move(rows)}});
}

}  // namespace asyncops::apiserver
