#include "base/json_edit.h"

#include <utility>
#include <vector>

namespace asyncops {

void EraseMembersIf(JsonObject* object, const std::function<bool(const std::string& name)>& gone) {
  std::vector<JsonMember> kept;
  kept.reserve(object->size());
  for (const JsonMember& member : *object) {
    if (!gone(member.name)) kept.push_back({member.name, std::move(object->ValueOf(member))});
  }
  *object = JsonObject(std::move(kept));
}

void MergeMembers(JsonObject* object, JsonObject more) {
  std::vector<JsonMember> merged;
  merged.reserve(object->size() + more.size());
  auto mine = object->begin();
  auto theirs = more.begin();
  while (mine != object->end() || theirs != more.end()) {
    const bool ends = mine == object->end();
    const bool takes_theirs = ends || (theirs != more.end() && theirs->name <= mine->name);
    if (takes_theirs && !ends && theirs->name == mine->name) ++mine;
    JsonObject& from = takes_theirs ? more : *object;
    const JsonMember*& next = takes_theirs ? theirs : mine;
    merged.push_back({next->name, std::move(from.ValueOf(*next))});
    ++next;
  }
  *object = JsonObject(std::move(merged));
}

}  // namespace asyncops
