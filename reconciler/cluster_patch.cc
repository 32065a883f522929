#include "reconciler/cluster_patch.h"

#include <algorithm>

namespace asyncops::reconciler {
namespace {

bool IsNull(const Json* value) { return value == nullptr || value->is_null(); }

bool IsSame(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a == b || a.as_double() == b.as_double();
  if (a.is_array() && b.is_array())
    return std::equal(a.as_array().begin(), a.as_array().end(), b.as_array().begin(),
                      b.as_array().end(), IsSame);
  if (!a.is_object() || !b.is_object()) return a == b;
  const JsonObject& one = a.as_object();
  const JsonObject& other = b.as_object();
  if (one.size() != other.size()) return false;
  return std::equal(one.begin(), one.end(), other.begin(),
                    [](const JsonMember& x, const JsonMember& y) {
                      return x.name == y.name && IsSame(x.value, y.value);
                    });
}

// What stays of a value that a merge patch sets where there was none.
Json WithoutNulls(const Json& value) {
  if (!value.is_object()) return value;
  JsonObject out;
  for (const JsonMember& member : value.as_object()) {
    if (!member.value.is_null()) out.Set(member.name, WithoutNulls(member.value));
  }
  return out;
}

}  // namespace

std::optional<Json> MergePatchOf(const Json& before, const Json& after) {
  if (!after.is_object()) {
    if (IsSame(before, after)) return std::nullopt;
    return after;
  }
  if (!before.is_object()) return WithoutNulls(after);
  JsonObject patch;
  for (const JsonMember& member : before.as_object()) {
    if (!member.value.is_null() && IsNull(after.Find(member.name))) patch.Set(member.name, nullptr);
  }
  for (const JsonMember& member : after.as_object()) {
    if (member.value.is_null()) continue;
    const Json* old = before.Find(member.name);
    std::optional<Json> change =
        IsNull(old) ? WithoutNulls(member.value) : MergePatchOf(*old, member.value);
    if (change) patch.Set(member.name, *std::move(change));
  }
  if (patch.empty()) return std::nullopt;
  return Json(std::move(patch));
}

}  // namespace asyncops::reconciler
