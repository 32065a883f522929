// An object on its way to the store.
#ifndef ASYNCOPS_API_META_OBJECT_H_
#define ASYNCOPS_API_META_OBJECT_H_

#include <cstddef>
#include <string>

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

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_OBJECT_H_
