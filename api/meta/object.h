// An object on its way to the store.
#ifndef ASYNCOPS_API_META_OBJECT_H_
#define ASYNCOPS_API_META_OBJECT_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"

namespace asyncops {

// Canonical JSON of an object whose metadata.resourceVersion is written as "", where between its
// quotes the digits go, and where the metadata stands. The object has a metadata object.
struct ObjectText {
  std::string json;
  std::size_t revision_at = 0;
  std::size_t metadata_at = 0;
  std::size_t metadata_size = 0;
};
ObjectText EncodeObject(const Json& object);

// Whether two objects have the same members with the same values, those of these names left out.
bool SameBeside(std::initializer_list<std::string_view> names, const Json& a, const Json& b);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_OBJECT_H_
