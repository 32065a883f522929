// Changes of many members at once, in time by their number. JsonObject's own Erase and Set move all
// that stands behind: for a few members that is cheapest, for as many as a client likes it is not.
#ifndef ASYNCOPS_BASE_JSON_EDIT_H_
#define ASYNCOPS_BASE_JSON_EDIT_H_

#include <functional>
#include <string>

#include "base/json.h"

namespace asyncops {

// Takes out the members whose name `gone` says. It is asked once for each, in the order of names.
void EraseMembersIf(JsonObject* object, const std::function<bool(const std::string& name)>& gone);

// Puts the members of both into one, `more` first where a name is in both. Both come in the order
// of their names, as members of a JsonObject do.
void MergeMembers(JsonObject* object, JsonObject more);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_JSON_EDIT_H_
