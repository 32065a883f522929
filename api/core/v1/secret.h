// core/v1 Secret, as far as standalone serves it. A plain value.
#ifndef ASYNCOPS_API_CORE_V1_SECRET_H_
#define ASYNCOPS_API_CORE_V1_SECRET_H_

#include <map>
#include <optional>
#include <string>

#include "api/meta/object_meta.h"
#include "base/json.h"

namespace asyncops::core {

struct Secret {
  ObjectMeta metadata;
  std::map<std::string, std::string> data;         // values in base64
  std::map<std::string, std::string> string_data;  // write-only, plain
  std::string type;
  std::optional<bool> immutable;

  static const ObjectBinding<Secret>& Binding();
  bool operator==(const Secret&) const = default;
};

// Moves stringData into data, in base64, where it is well formed; it wins over data of the same
// key. To be called on every write before the object is validated or stored: stringData is never
// shown again.
void MergeStringData(Json* secret);

}  // namespace asyncops::core

#endif  // ASYNCOPS_API_CORE_V1_SECRET_H_
