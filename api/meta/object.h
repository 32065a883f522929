// An object on its way to the store.
#ifndef ASYNCOPS_API_META_OBJECT_H_
#define ASYNCOPS_API_META_OBJECT_H_

#include <cstddef>
#include <string>

#include "base/json.h"

namespace asyncops {

// Canonical JSON of an object whose metadata.resourceVersion is written as "", and where between
// its quotes the digits go. The object has a metadata object.
struct ObjectText {
  std::string json;
  std::size_t revision_at = 0;
};
ObjectText EncodeObject(const Json& object);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_OBJECT_H_
