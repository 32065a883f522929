// Structured log lines on stderr: a constant message and key-value pairs, so that a line can be
// grepped by its message and filtered by its keys. No line ever carries a secret.
//   Log(LogLevel::kInfo, "submitted operation", {{"namespace", ns}, {"name", name}});
// prints {"ts":"2026-11-29T16:47:53.000123Z","level":"info","msg":"submitted
// operation","name":"x",...}
#ifndef ASYNCOPS_BASE_LOG_H_
#define ASYNCOPS_BASE_LOG_H_

#include <initializer_list>
#include <string_view>

#include "base/json.h"

namespace asyncops {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Writes one line, whole, from any thread. Lines below the process's level are dropped.
void Log(LogLevel level, std::string_view message, std::initializer_list<JsonMember> fields = {});

// Whether a line of this level is written: for lines whose fields cost something to make.
bool IsLogged(LogLevel level);

// The least level that is written (default kInfo); call before threads start.
void SetLogLevel(LogLevel level);
// "debug", "info", "warning" or "error"; false where the text is none of them.
bool ParseLogLevel(std::string_view text, LogLevel* level);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_LOG_H_
