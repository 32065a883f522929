#include "base/json.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace asyncops {
namespace {

// The first member whose name is not less than `name`.
template <class Members>
auto LowerBound(Members& members, std::string_view name) {
  return std::lower_bound(members.begin(), members.end(), name,
                          [](const JsonMember& m, std::string_view n) { return m.name < n; });
}

}  // namespace

JsonObject::JsonObject() = default;
JsonObject::JsonObject(const JsonObject&) = default;
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(const JsonObject&) = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;
JsonObject::~JsonObject() = default;

JsonObject::JsonObject(std::initializer_list<JsonMember> members) {
  members_.reserve(members.size());
  for (const JsonMember& member : members) Set(member.name, member.value);
}

JsonObject::JsonObject(std::vector<JsonMember> members) {
  const auto out_of_order = [](const JsonMember& a, const JsonMember& b) {
    return a.name >= b.name;
  };
  // What this project encoded comes sorted.
  if (std::adjacent_find(members.begin(), members.end(), out_of_order) == members.end()) {
    members_ = std::move(members);
    return;
  }
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&members](std::size_t a, std::size_t b) {
    const int names = members[a].name.compare(members[b].name);
    return names != 0 ? names < 0 : a < b;
  });
  members_.reserve(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Of equal names the last one stays.
    const bool is_replaced =
        i + 1 < order.size() && members[order[i]].name == members[order[i + 1]].name;
    if (!is_replaced) members_.push_back(std::move(members[order[i]]));
  }
}

bool JsonObject::empty() const { return members_.empty(); }
std::size_t JsonObject::size() const { return members_.size(); }
const JsonMember* JsonObject::begin() const { return members_.data(); }
const JsonMember* JsonObject::end() const { return members_.data() + members_.size(); }

const Json* JsonObject::Find(std::string_view name) const {
  const auto it = LowerBound(members_, name);
  return it != members_.end() && it->name == name ? &it->value : nullptr;
}

Json* JsonObject::Find(std::string_view name) {
  const auto it = LowerBound(members_, name);
  return it != members_.end() && it->name == name ? &it->value : nullptr;
}

Json& JsonObject::ValueOf(const JsonMember& member) {
  return members_[static_cast<std::size_t>(&member - members_.data())].value;
}

Json& JsonObject::Set(std::string_view name, Json value) {
  const auto it = LowerBound(members_, name);
  if (it != members_.end() && it->name == name) {
    it->value = std::move(value);
    return it->value;
  }
  return members_.insert(it, JsonMember{std::string(name), std::move(value)})->value;
}

Json& JsonObject::operator[](std::string_view name) {
  Json* found = Find(name);
  return found != nullptr ? *found : Set(name, nullptr);
}

bool JsonObject::Erase(std::string_view name) {
  const auto it = LowerBound(members_, name);
  if (it == members_.end() || it->name != name) return false;
  members_.erase(it);
  return true;
}

bool JsonObject::operator==(const JsonObject& other) const { return members_ == other.members_; }

double Json::as_double() const { return is_int() ? static_cast<double>(as_int()) : *Get<double>(); }

const Json* Json::Find(std::string_view name) const {
  return is_object() ? as_object().Find(name) : nullptr;
}

Json* Json::Find(std::string_view name) { return is_object() ? as_object().Find(name) : nullptr; }

const Json* Json::FindPath(std::initializer_list<std::string_view> path) const {
  const Json* at = this;
  for (const std::string_view name : path) {
    at = at->Find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string_view Json::StringAt(std::initializer_list<std::string_view> path) const {
  const Json* found = FindPath(path);
  return found != nullptr && found->is_string() ? std::string_view(found->as_string())
                                                : std::string_view();
}

std::int64_t Json::IntAt(std::initializer_list<std::string_view> path,
                         std::int64_t otherwise) const {
  const Json* found = FindPath(path);
  return found != nullptr && found->is_int() ? found->as_int() : otherwise;
}

JsonObject& Json::ObjectAt(std::string_view name) {
  if (!is_object()) *this = JsonObject();
  Json& member = as_object()[name];
  if (!member.is_object()) member = JsonObject();
  return member.as_object();
}

Json& Json::Set(std::string_view name, Json value) {
  if (!is_object()) *this = JsonObject();
  return as_object().Set(name, std::move(value));
}

void Json::WrongType() { std::abort(); }

std::string_view JsonTypeName(Json::Type type) {
  switch (type) {
    case Json::Type::kNull: return "null";
    case Json::Type::kBool: return "boolean";
    case Json::Type::kInt: return "integer";
    case Json::Type::kDouble: return "number";
    case Json::Type::kString: return "string";
    case Json::Type::kArray: return "array";
    case Json::Type::kObject: return "object";
  }
  return "";
}

}  // namespace asyncops
