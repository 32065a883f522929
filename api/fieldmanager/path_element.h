// One step of a field path, spelled as in FieldsV1: "f:spec" is a member, `k:{"type":"Ready"}` an
// item of a list that is a map, `v:"x"` an item of a set, "i:0" an item by its place. Equal
// elements have equal bytes.
#ifndef ASYNCOPS_API_FIELDMANAGER_PATH_ELEMENT_H_
#define ASYNCOPS_API_FIELDMANAGER_PATH_ELEMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

using PathElement = std::string;
using Path = std::vector<PathElement>;

// "f:NAME".
PathElement MemberElement(std::string_view name);
// What names the item within a list that is a map or a set by its schema; nothing where the item
// lacks a key or is no scalar.
std::optional<PathElement> ItemElement(const Schema& list, const Json& item);

// The element that this text spells, with its key or value in canonical JSON; "" for a kind of
// element that this version does not know. BadRequest where key, value or index do not parse.
Result<PathElement> ParseElement(std::string_view text);

// As people read it in conflicts: `.spec.outputs[name="id"].value`, `.metadata.finalizers[="x"]`.
std::string FormatPath(const Path& path);

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_PATH_ELEMENT_H_
