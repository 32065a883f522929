#include "base/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <string>

#include "base/clock.h"
#include "base/rfc3339.h"

namespace asyncops {
namespace {

// Indexed by LogLevel.
constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};

// The one mutable global of the project: stderr is one per process, and so is the level of what is
// written there. Passing a logger to every constructor would buy nothing that a test needs.
std::atomic<LogLevel> process_level{LogLevel::kInfo};

void AppendMember(std::string_view name, std::string_view text, std::string* line) {
  AppendJsonString(name, line);
  line->push_back(':');
  AppendJsonString(text, line);
}

}  // namespace

void Log(LogLevel level, std::string_view message, std::initializer_list<JsonMember> fields) {
  if (!IsLogged(level)) return;
  std::string line = "{";
  AppendMember("ts", FormatMicroTime(SystemClock().Now()), &line);
  line.push_back(',');
  AppendMember("level", kLevelNames[static_cast<std::size_t>(level)], &line);
  line.push_back(',');
  AppendMember("msg", message, &line);
  for (const JsonMember& field : fields) {
    line.push_back(',');
    AppendJsonString(field.name, &line);
    line.push_back(':');
    AppendJson(field.value, &line);
  }
  line.append("}\n");
  // One call: stdio locks the stream for its length, so lines of several threads do not mix. There
  // is nobody to tell where stderr is closed.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

bool IsLogged(LogLevel level) { return level >= process_level.load(std::memory_order_relaxed); }

void SetLogLevel(LogLevel level) { process_level.store(level, std::memory_order_relaxed); }

bool ParseLogLevel(std::string_view text, LogLevel* level) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] != text) continue;
    *level = static_cast<LogLevel>(i);
    return true;
  }
  return false;
}

}  // namespace asyncops
