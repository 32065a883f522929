#include "api/selectable_fields.h"

namespace asyncops {
namespace {

std::string TextAtDottedPath(const Json& object, std::string_view path) {
  const Json* value = &object;
  while (value != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    value = value->Find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

std::string NewestFailureCode(const Json& object) {
  const Json* failures = object.FindPath({"status", "failureDetails"});
  if (failures == nullptr || !failures->is_array() || failures->as_array().empty()) return "";
  return std::string(failures->as_array().front().StringAt({"code"}));
}

std::string EventSourceOf(const Json& object) {
  std::string component(object.StringAt({"source", "component"}));
  return component.empty() ? std::string(object.StringAt({"reportingComponent"})) : component;
}

}  // namespace

Fields SelectableFields(const ResourceInfo& resource, const Json& object) {
  Fields fields;
  for (const std::string& field : resource.selectable_fields) {
    if (field == "status.failureCode")
      fields[field] = NewestFailureCode(object);
    else if (field == "source")
      fields[field] = EventSourceOf(object);
    else
      fields[field] = TextAtDottedPath(object, field);
  }
  return fields;
}

}  // namespace asyncops
