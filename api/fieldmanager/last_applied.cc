#include "api/fieldmanager/last_applied.h"

#include <string>
#include <utility>

#include "base/limits.h"

namespace asyncops::fieldmanager {
namespace {

Json* AnnotationOf(Json* object) {
  Json* metadata = object->Find("metadata");
  Json* annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  return annotations == nullptr ? nullptr : annotations->Find(kLastApplied);
}

}  // namespace

std::vector<FieldConflict> WithoutLastApplied(const FieldScope& scope, std::string_view api_version,
                                              const Json& object,
                                              std::vector<FieldConflict> conflicts) {
  const std::string_view text = object.StringAt({"metadata", "annotations", kLastApplied});
  const Result<Json> applied = ParseJson(text);
  if (!applied.ok() || applied->StringAt({"apiVersion"}) != api_version) return conflicts;
  FieldSet unchanged = AppliedFields(scope, *applied);
  const Comparison since = Compare(scope, &*applied, object);
  unchanged.Remove(since.added);
  unchanged.Remove(since.modified);
  unchanged.Remove(since.removed);
  std::erase_if(conflicts, [&unchanged](const FieldConflict& conflict) {
    return unchanged.Has(conflict.path);
  });
  return conflicts;
}

void RenewLastApplied(const Json& configuration, Json* object) {
  Json* annotation = AnnotationOf(object);
  if (annotation == nullptr) return;
  Json applied = configuration;
  if (AnnotationOf(&applied) != nullptr)
    applied.Find("metadata")->Find("annotations")->as_object().Erase(kLastApplied);
  // The line end is kubectl's own form.
  std::string text = EncodeJson(applied) + "\n";
  if (text.size() <= kMaxAnnotationsBytes) *annotation = std::move(text);
}

}  // namespace asyncops::fieldmanager
