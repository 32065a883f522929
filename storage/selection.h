// Whether selectors match what the store knows of an object.
#ifndef ASYNCOPS_STORAGE_SELECTION_H_
#define ASYNCOPS_STORAGE_SELECTION_H_

#include <string_view>

#include "api/meta/field_selector.h"
#include "api/meta/label_selector.h"

namespace asyncops::storage {

// What selectors look at; views.
struct Selectable {
  std::string_view namespace_name;
  std::string_view name;
  std::string_view labels;  // texts of EncodedPairs
  std::string_view fields;
};

// Whether both match, metadata.name and metadata.namespace included. A field that is not there
// reads as "".
bool Matches(const LabelSelector& labels, const FieldSelector& fields, const Selectable& object);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SELECTION_H_
