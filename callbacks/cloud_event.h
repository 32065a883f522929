// What a callback says: CloudEvents 1.0.2 in their three forms on HTTP, or any JSON.
#ifndef ASYNCOPS_CALLBACKS_CLOUD_EVENT_H_
#define ASYNCOPS_CALLBACKS_CLOUD_EVENT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "callbacks/message.h"

#include "base/json.h"
#include "base/status.h"

namespace asyncops::callbacks {

// Each event of a batch is one row of the inbox; more than this is sent in several.
inline constexpr std::size_t kMaxBatchEvents = 100;

struct Event {
  // Both "" where the message is no CloudEvent; together they tell one event from all others.
  std::string source;
  std::string id;
  // What expressions know as `event`: the CloudEvent with its attributes and `data`, or the body of
  // any other message; a string where that is no JSON; null where it is empty or no text.
  Json value;
  // What the event is about: `data` of a CloudEvent, else the body.
  Json data;
  // False of attributes that come as headers: a signature of the body does not cover them.
  bool body_only = true;
};

// One event, or those of a batch (none of an empty one). BadRequest where the message says that it
// is a CloudEvent or JSON and is not.
Result<std::vector<Event>> ReadEvents(const Message& message);

}  // namespace asyncops::callbacks

#endif  // ASYNCOPS_CALLBACKS_CLOUD_EVENT_H_
