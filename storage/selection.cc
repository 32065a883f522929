#include "storage/selection.h"

#include "storage/encoded_pairs.h"

namespace asyncops::storage {
namespace {

std::string_view FieldOf(const Selectable& object, std::string_view field) {
  if (field == "metadata.name") return object.name;
  if (field == "metadata.namespace") return object.namespace_name;
  return FindPair(object.fields, field);
}

}  // namespace

bool Matches(const LabelSelector& labels, const FieldSelector& fields, const Selectable& object) {
  for (const FieldRequirement& requirement : fields.requirements)
    if ((FieldOf(object, requirement.field) == requirement.value) != requirement.equal)
      return false;
  for (const FieldRange& range : fields.ranges)
    if (!range.Contains(FieldOf(object, range.field))) return false;
  return labels.empty() || labels.Matches(DecodePairs(object.labels));
}

}  // namespace asyncops::storage
