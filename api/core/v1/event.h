// core/v1 Event: something that happened to an object. A plain value.
#ifndef ASYNCOPS_API_CORE_V1_EVENT_H_
#define ASYNCOPS_API_CORE_V1_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "api/meta/object_meta.h"
#include "base/clock.h"

namespace asyncops::core {

struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;

  static const ObjectBinding<ObjectReference>& Binding();
  bool operator==(const ObjectReference&) const = default;
};

struct EventSource {
  std::string component;
  std::string host;

  static const ObjectBinding<EventSource>& Binding();
  bool operator==(const EventSource&) const = default;
};

// A burst of the same event, as the newer events API counts it.
struct EventSeries {
  std::int64_t count = 0;
  std::string last_observed_time;  // MicroTime

  static const ObjectBinding<EventSeries>& Binding();
  bool operator==(const EventSeries&) const = default;
};

struct Event {
  ObjectMeta metadata;
  ObjectReference involved_object;
  std::string reason;  // "Submitted"
  std::string message;
  std::string type;  // Normal | Warning
  std::int64_t count = 0;
  std::optional<Time> first_timestamp;
  std::optional<Time> last_timestamp;
  EventSource source;
  std::string event_time;  // MicroTime; "" where the timestamps tell
  std::optional<EventSeries> series;
  std::string action;
  std::optional<ObjectReference> related;
  std::string reporting_component;
  std::string reporting_instance;

  static const ObjectBinding<Event>& Binding();
  bool operator==(const Event&) const = default;
};

}  // namespace asyncops::core

#endif  // ASYNCOPS_API_CORE_V1_EVENT_H_
