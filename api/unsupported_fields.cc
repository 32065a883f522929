#include "api/unsupported_fields.h"

#include <array>

namespace asyncops {
namespace {

struct UnsupportedField {
  std::string_view kind;
  std::string_view path;  // "[]" stands for every item of a list
  std::string_view instead;
};

constexpr std::string_view kPoll = "remove it; operations are polled";

// A field that comes to life loses its row here.
constexpr std::array<UnsupportedField, 1> kUnsupported = {{
    {"ExternalSystem", "spec.queueRef", kPoll},
}};

// Reports what stands at the rest of a row's path below `value`.
void Find(const UnsupportedField& row, std::string_view rest, const std::string& path,
          const Json& value, FieldErrors* errors) {
  if (rest.empty()) {
    if (!value.is_null())
      errors->push_back(
          ForbiddenField(path, "this release does not carry it out: " + std::string(row.instead)));
    return;
  }
  if (rest.substr(0, 2) == "[]") {
    if (!value.is_array()) return;
    const JsonArray& items = value.as_array();
    for (std::size_t i = 0; i < items.size(); ++i)
      Find(row, rest.substr(2), FieldPath(path, i), items[i], errors);
    return;
  }
  if (rest.front() == '.') rest.remove_prefix(1);
  const std::string_view name = rest.substr(0, rest.find_first_of(".["));
  const Json* member = value.Find(name);
  if (member != nullptr)
    Find(row, rest.substr(name.size()), FieldPath(path, name), *member, errors);
}

}  // namespace

FieldErrors FindUnsupportedFields(std::string_view kind, const Json& object) {
  FieldErrors errors;
  for (const UnsupportedField& row : kUnsupported) {
    if (row.kind == kind) Find(row, row.path, "", object, &errors);
  }
  return errors;
}

}  // namespace asyncops
