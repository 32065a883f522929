#include "kube/watch_decoder.h"

#include <algorithm>
#include <utility>

#include "kube/api_status.h"

namespace asyncops::kube {
namespace {

// etcd takes objects of 1.5 MiB; managedFields and escapes make more of them in JSON.
constexpr std::size_t kMaxEventBytes = 16u * 1024 * 1024;

}  // namespace

bool WatchDecoder::Fail(std::string_view why) {
  error_ = Status(Reason::kServiceUnavailable,
                  "kube-apiserver sent " + std::string(why) + " in a watch");
  return false;
}

bool WatchDecoder::Feed(std::string_view bytes) {
  while (!stopped_ && error_.ok()) {
    const std::size_t end = bytes.find('\n');
    if (partial_.size() + std::min(end, bytes.size()) > kMaxEventBytes)
      return Fail("an event that is too large");
    if (end == std::string_view::npos) {
      partial_.append(bytes);
      return true;
    }
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (partial_.empty()) {
      Line(line);
      continue;
    }
    const std::string whole = std::exchange(partial_, {}).append(line);
    Line(whole);
  }
  return false;
}

void WatchDecoder::Finish() {
  if (!stopped_ && error_.ok()) Line(std::exchange(partial_, {}));
}

bool WatchDecoder::Line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return true;
  Result<Json> parsed = ParseJson(line, {.max_depth = kMaxApiJsonDepth});
  if (!parsed.ok()) return Fail("what is no JSON");
  Json* object = parsed->Find("object");
  const std::string type(parsed->StringAt({"type"}));
  if (type.empty() || object == nullptr || !object->is_object()) return Fail("what is no event");
  if (type == "ERROR") {
    error_ = StatusOf(*object, HttpCode(Reason::kInternalError));
    return false;
  }
  stopped_ = !event_({type, std::move(*object)});
  return !stopped_;
}

}  // namespace asyncops::kube
