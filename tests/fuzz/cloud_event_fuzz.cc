// What a callback says: its type on the first line, then the body; once as it is, and once with the
// attributes of a CloudEvent in headers.
#include "callbacks/cloud_event.h"

#include "base/json.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

void HoldEvents(const callbacks::Message& message) {
  const Result<std::vector<callbacks::Event>> events = callbacks::ReadEvents(message);
  if (!events.ok())
    return Hold(events.status().reason() == Reason::kBadRequest, "a mistake is a bad request");
  Hold(events->size() <= callbacks::kMaxBatchEvents, "a batch has a bound");
  for (const callbacks::Event& event : *events) {
    Hold(event.id.empty() == event.source.empty(), "an event is named whole or not");
    const std::string text = EncodeJson(event.value);
    const Result<Json> again = ParseJson(text);
    Hold(!again.ok() || EncodeJson(*again) == text, "an event is JSON");
  }
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  callbacks::Message message{.headers = {{"Content-Type", std::string(split.first)}},
                             .body = std::string(split.rest)};
  HoldEvents(message);
  message.headers.insert(message.headers.end(), {{"ce-specversion", "1.0"},
                                                 {"ce-id", std::string(split.first)},
                                                 {"ce-source", "/fuzz"},
                                                 {"ce-type", "t"}});
  HoldEvents(message);
}

}  // namespace asyncops::fuzz
