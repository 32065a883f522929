#include "reconciler/annotations.h"

namespace asyncops::reconciler {

std::string_view AnnotationOf(const ObjectMeta& meta, std::string_view name) {
  const auto it = meta.annotations.find(name);
  return it == meta.annotations.end() ? std::string_view() : it->second;
}

}  // namespace asyncops::reconciler
