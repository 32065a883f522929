#include "storage/object_version.h"

#include "api/meta/object.h"

namespace asyncops::storage {
namespace {

// The scalar at a dotted path as selectors compare it; nothing where there is none.
const Json* FindDotted(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    at = at->Find(path.substr(0, dot));
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  }
  return at;
}

std::string ScalarText(const Json& value) {
  if (value.is_string()) return value.as_string();
  return value.is_bool() || value.is_number() ? EncodeJson(value) : std::string();
}

Labels LabelsOf(const Json& object) {
  Labels labels;
  const Json* found = object.FindPath({"metadata", "labels"});
  if (found == nullptr || !found->is_object()) return labels;
  for (const auto& [name, value] : found->as_object()) {
    if (value.is_string()) labels.emplace(name, value.as_string());
  }
  return labels;
}

}  // namespace

ObjectVersion MakeObjectVersion(const ResourceInfo& resource, const Json& object) {
  ObjectVersion version;
  version.uid = object.StringAt({"metadata", "uid"});
  ObjectText text = EncodeObject(object);
  version.encoded = {.json = std::move(text.json), .revision_at = text.revision_at};
  version.labels = LabelsOf(object);
  for (const std::string& field : resource.selectable_fields) {
    const Json* value = FindDotted(object, field);
    if (value == nullptr) continue;
    if (std::string scalar = ScalarText(*value); !scalar.empty())
      version.fields.emplace(field, std::move(scalar));
  }
  return version;
}

ObjectKey KeyOf(const ResourceInfo& resource, std::string_view namespace_name,
                std::string_view name) {
  return {.resource = resource.StorageName(),
          .namespace_name = std::string(namespace_name),
          .name = std::string(name)};
}

}  // namespace asyncops::storage
