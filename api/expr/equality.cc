#include "api/expr/equality.h"

#include <algorithm>

namespace asyncops::expr {
namespace {

bool ArraysEqual(const JsonArray& left, const JsonArray& right, Budget* budget) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!JsonEqual(left[i], right[i], budget)) return false;
  }
  return true;
}

bool ObjectsEqual(const JsonObject& left, const JsonObject& right, Budget* budget) {
  if (left.size() != right.size()) return false;
  // Members are sorted by name, so equal objects pair up one by one.
  const JsonMember* other = right.begin();
  for (const JsonMember& member : left) {
    if (!budget->SpendBytes(member.name.size())) return false;
    if (member.name != other->name || !JsonEqual(member.value, other->value, budget)) return false;
    ++other;
  }
  return true;
}

bool StringsEqual(const std::string& left, const std::string& right, Budget* budget) {
  return left.size() == right.size() && budget->SpendBytes(left.size()) && left == right;
}

}  // namespace

bool JsonEqual(const Json& left, const Json& right, Budget* budget) {
  if (!budget->Spend()) return false;
  if (left.is_int() && right.is_int()) return left.as_int() == right.as_int();
  if (left.is_number() && right.is_number()) return left.as_double() == right.as_double();
  if (left.type() != right.type()) return false;
  switch (left.type()) {
    case Json::Type::kString: return StringsEqual(left.as_string(), right.as_string(), budget);
    case Json::Type::kArray: return ArraysEqual(left.as_array(), right.as_array(), budget);
    case Json::Type::kObject: return ObjectsEqual(left.as_object(), right.as_object(), budget);
    case Json::Type::kBool: return left.as_bool() == right.as_bool();
    default: return true;  // null
  }
}

bool ValueEqual(const Value& left, const Value& right, Budget* budget) {
  if (left.json() != nullptr && right.json() != nullptr) {
    return JsonEqual(*left.json(), *right.json(), budget);
  }
  if (left.time() != nullptr && right.time() != nullptr) return *left.time() == *right.time();
  if (left.duration() != nullptr && right.duration() != nullptr) {
    return *left.duration() == *right.duration();
  }
  return false;
}

}  // namespace asyncops::expr
