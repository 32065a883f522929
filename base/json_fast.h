// The two parsers behind ParseJson; for it and for the test that holds them against each other.
#ifndef ASYNCOPS_BASE_JSON_FAST_H_
#define ASYNCOPS_BASE_JSON_FAST_H_

#include <optional>
#include <string_view>

#include "base/json.h"

namespace asyncops {

// What JudgeJson makes of the text, in a tenth of its time; nothing where the text may be wrong,
// has a number that int64 and double cannot hold, is nested too deep, or has a duplicate that is to
// be reported: then JudgeJson decides. Safe on any thread. Each thread that ever calls it keeps
// some scratch memory, of a few hundred KiB at most.
std::optional<Json> ParseJsonFast(std::string_view text, const JsonParseOptions& options);

// As ParseJson, which see: which texts are accepted and how mistakes are worded is decided here.
Result<Json> JudgeJson(std::string_view text, const JsonParseOptions& options);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_JSON_FAST_H_
