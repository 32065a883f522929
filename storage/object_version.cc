#include "storage/object_version.h"

#include "api/meta/field_selector.h"
#include "api/meta/label_selector.h"
#include "api/meta/object.h"
#include "api/object_summary.h"
#include "api/selectable_fields.h"
#include "storage/control_fields.h"

namespace asyncops::storage {
namespace {

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
  SummaryText summary = EncodeSummary(resource, object, text);
  version.summary = {.text = std::move(summary.text), .revision_at = summary.revision_at};
  version.encoded = {.json = std::move(text.json), .revision_at = text.revision_at};
  version.labels = EncodedPairs(LabelsOf(object));
  Fields fields = SelectableFields(resource, object);
  AddControlFields(resource, object, &fields);
  // What is not there reads as "" without a row of its own.
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  version.fields = EncodedPairs(fields);
  return version;
}

ObjectKey KeyOf(const ResourceInfo& resource, std::string_view namespace_name,
                std::string_view name) {
  return {.resource = resource.GroupResource(),
          .namespace_name = std::string(namespace_name),
          .name = std::string(name)};
}

}  // namespace asyncops::storage
