#include "callbacks/cloud_event.h"

#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/encoding.h"

namespace asyncops::callbacks {
namespace {

constexpr std::string_view kHeaderPrefix = "ce-";
constexpr std::array<std::string_view, 4> kRequired = {"specversion", "id", "source", "type"};

// "application/json" of "Application/JSON; charset=utf-8".
std::string MediaTypeOf(const Message& message) {
  const std::string_view value = FindHeader(message, "Content-Type");
  return LowerCase(TrimBlanks(value.substr(0, value.find(';'))));
}

bool IsJsonType(std::string_view type) {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

Status Malformed(std::string_view what) {
  return BadRequest("malformed event: " + std::string(what));
}

Result<Json> ReadJson(std::string_view body) {
  Result<Json> json = ParseJson(body);
  if (!json.ok()) return Malformed("its body is no JSON");
  return json;
}

// Bytes of which nothing is said.
Json ReadAny(const std::string& body) {
  if (body.empty() || !IsUtf8(body)) return {};
  Result<Json> json = ParseJson(body);
  return json.ok() ? *std::move(json) : Json(body);
}

// Takes a CloudEvent whose attributes and data are members of one object.
Result<Event> Take(Json value) {
  if (!value.is_object()) return Malformed("a CloudEvent is an object");
  for (const std::string_view name : kRequired) {
    if (value.StringAt({name}).empty())
      return Malformed("its attribute " + std::string(name) + " is missing or no string");
  }
  if (value.StringAt({"specversion"}) != "1.0") return Malformed("its specversion is not 1.0");
  Event event;
  event.source = value.StringAt({"source"});
  event.id = value.StringAt({"id"});
  if (const Json* base64 = value.Find("data_base64")) {
    const std::optional<std::string> bytes =
        base64->is_string() ? Base64Decode(base64->as_string()) : std::nullopt;
    if (!bytes) return Malformed("its data_base64 is no base64");
    if (value.Find("data") != nullptr) return Malformed("it has both data and data_base64");
    value.Set("data", ReadAny(*bytes));
  }
  if (const Json* data = value.Find("data")) event.data = *data;
  event.value = std::move(value);
  return event;
}

Result<std::vector<Event>> ReadBatch(const Message& message) {
  const Result<Json> json = ReadJson(message.body);
  if (!json.ok()) return json.status();
  if (!json->is_array()) return Malformed("a batch of CloudEvents is a list");
  if (json->as_array().size() > kMaxBatchEvents)
    return Malformed("a batch has more than " + std::to_string(kMaxBatchEvents) + " events");
  std::vector<Event> events;
  for (const Json& item : json->as_array()) {
    Result<Event> event = Take(item);
    if (!event.ok()) return event.status();
    events.push_back(*std::move(event));
  }
  return events;
}

bool IsAttributeName(std::string_view name) {
  for (const char c : name) {
    if (!IsDigit(c) && !IsLowerLetter(c)) return false;
  }
  return !name.empty();
}

// The attributes are headers, the body is the data.
Result<Event> ReadBinary(const Message& message, const std::string& type) {
  JsonObject value;
  for (const auto& [header, text] : message.headers) {
    const std::string key = LowerCase(header);
    if (!key.starts_with(kHeaderPrefix)) continue;
    const std::string name = key.substr(kHeaderPrefix.size());
    if (!IsAttributeName(name) || name == "data" || name == "datacontenttype")
      return Malformed("a header ce-" + name + " is no attribute");
    const std::optional<std::string> decoded = PercentDecode(TrimBlanks(text), false);
    if (!decoded || !IsUtf8(*decoded)) return Malformed("its attribute " + name + " is no text");
    if (value.Has(name)) return Malformed("its attribute " + name + " comes twice");
    value.Set(name, *decoded);
  }
  if (!type.empty()) value.Set("datacontenttype", type);
  if (!message.body.empty() && IsJsonType(type)) {
    Result<Json> data = ReadJson(message.body);
    if (!data.ok()) return data.status();
    value.Set("data", *std::move(data));
  } else if (!message.body.empty()) {
    value.Set("data", ReadAny(message.body));
  }
  Result<Event> event = Take(Json(std::move(value)));
  if (event.ok()) event->body_only = false;
  return event;
}

Result<std::vector<Event>> One(Result<Event> event) {
  if (!event.ok()) return event.status();
  std::vector<Event> events;
  events.push_back(*std::move(event));
  return events;
}

// `data` of a Standard Webhooks payload ({type, timestamp, data}) is what its event is about.
Json DataOf(const Json& value) {
  const Json* data = value.is_object() ? value.Find("data") : nullptr;
  const bool is_payload = data != nullptr && data->is_object() &&
                          !value.StringAt({"type"}).empty() &&
                          !value.StringAt({"timestamp"}).empty();
  return is_payload ? *data : value;
}

}  // namespace

Result<std::vector<Event>> ReadEvents(const Message& message) {
  const std::string type = MediaTypeOf(message);
  if (type == "application/cloudevents-batch+json") return ReadBatch(message);
  if (type == "application/cloudevents+json") {
    Result<Json> json = ReadJson(message.body);
    if (!json.ok()) return json.status();
    return One(Take(*std::move(json)));
  }
  if (type.starts_with("application/cloudevents"))
    return Malformed("CloudEvents are read in JSON alone");
  if (!FindHeader(message, "ce-specversion").empty()) return One(ReadBinary(message, type));
  Event event;
  if (!message.body.empty() && IsJsonType(type)) {
    Result<Json> json = ReadJson(message.body);
    if (!json.ok()) return json.status();
    event.value = *std::move(json);
  } else {
    event.value = ReadAny(message.body);
  }
  event.data = DataOf(event.value);
  return One(std::move(event));
}

}  // namespace asyncops::callbacks
