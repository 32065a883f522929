#include "api/expr/budget.h"

namespace asyncops::expr {
namespace {

void AddBytes(const Json& value, std::size_t limit, std::size_t* total) {
  if (*total > limit) return;
  switch (value.type()) {
    case Json::Type::kString: *total += value.as_string().size() + 2; return;
    case Json::Type::kArray:
      *total += 2;
      for (const Json& item : value.as_array()) {
        if (*total > limit) return;
        *total += 1;
        AddBytes(item, limit, total);
      }
      return;
    case Json::Type::kObject:
      *total += 2;
      for (const JsonMember& member : value.as_object()) {
        if (*total > limit) return;
        *total += member.name.size() + 4;
        AddBytes(member.value, limit, total);
      }
      return;
    default: *total += 1; return;
  }
}

}  // namespace

bool Budget::SpendCopy(const Json& value) {
  switch (value.type()) {
    case Json::Type::kString: return SpendBytes(value.as_string().size());
    case Json::Type::kArray:
      for (const Json& item : value.as_array()) {
        if (!SpendCopy(item)) return false;
      }
      return Spend();
    case Json::Type::kObject:
      for (const JsonMember& member : value.as_object()) {
        if (!SpendBytes(member.name.size()) || !SpendCopy(member.value)) return false;
      }
      return Spend();
    default: return Spend();
  }
}

std::size_t EstimateBytes(const Json& value, std::size_t limit) {
  std::size_t total = 0;
  AddBytes(value, limit, &total);
  return total;
}

}  // namespace asyncops::expr
