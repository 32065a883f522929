#include "api/fieldmanager/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace asyncops::fieldmanager {
namespace {

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";
constexpr std::string_view kFieldsType = "FieldsV1";
// An apply stops at kMaxManagers; updates, which are put together, may still come beside it. What
// stands in an object is always below.
constexpr std::size_t kMaxEntries = kMaxManagers + 2 * kMaxUpdateManagers;

// All but the fields.
Result<ManagerEntry> DecodeManager(const Json& json) {
  ManagerEntry entry;
  const std::string_view operation = json.StringAt({"operation"});
  if (operation != kApply && operation != kUpdate)
    return BadRequest("the operation must be Apply or Update");
  entry.is_applied = operation == kApply;
  entry.manager = json.StringAt({"manager"});
  entry.api_version = json.StringAt({"apiVersion"});
  entry.subresource = json.StringAt({"subresource"});
  entry.time = json.StringAt({"time"});
  if (entry.api_version.empty()) return BadRequest("the apiVersion must not be empty");
  if (json.StringAt({"fieldsType"}) != kFieldsType)
    return BadRequest("the fieldsType must be FieldsV1");
  return entry;
}

Result<ManagerEntry> DecodeEntry(const Json& json) {
  Result<ManagerEntry> decoded = DecodeManager(json);
  if (!decoded.ok()) return decoded.status();
  ManagerEntry& entry = *decoded;
  const Json* fields = json.Find("fieldsV1");
  if (fields == nullptr || fields->is_null()) return decoded;
  Result<FieldSet> set = FieldSet::Decode(*fields);
  if (!set.ok()) return set.status();
  entry.fields = *std::move(set);
  return decoded;
}

// Whether the entry owns something at or below a top-level field of the set.
bool IsConcerned(const Json& json, const FieldSet& set) {
  const Json* fields = json.Find("fieldsV1");
  if (fields == nullptr) return false;
  const auto& nodes = set.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [fields](const FieldNode& node) {
    return fields->Find(node.element) != nullptr;
  });
}

// As Kubernetes sorts entries.
bool IsBefore(const Json& a, const Json& b) {
  for (const std::string_view name :
       {"operation", "time", "manager", "apiVersion", "subresource"}) {
    const std::string_view of_a = a.StringAt({name});
    const std::string_view of_b = b.StringAt({name});
    if (of_a != of_b) return of_a < of_b;
  }
  return false;
}

// ManagerEntry::IsSameManager of what is encoded.
bool IsEntryOf(const ManagerEntry& manager, const Json& json) {
  return json.StringAt({"manager"}) == manager.manager &&
         json.StringAt({"operation"}) == (manager.is_applied ? kApply : kUpdate) &&
         json.StringAt({"subresource"}) == manager.subresource &&
         json.StringAt({"apiVersion"}) == manager.api_version;
}

bool OwnsAll(const Json& fields, const FieldSet& set) {
  const auto& nodes = set.nodes();
  return std::all_of(nodes.begin(), nodes.end(), [&fields](const FieldNode& node) {
    const Json* below = fields.Find(node.element);
    if (below == nullptr || !below->is_object()) return false;
    const bool is_member = below->as_object().empty() || below->as_object().Has(".");
    return (is_member || !node.is_member) && OwnsAll(*below, node.below);
  });
}

Json EncodeEntry(ManagerEntry entry) {
  JsonObject out;
  out.Set("apiVersion", std::move(entry.api_version));
  out.Set("fieldsType", kFieldsType);
  out.Set("fieldsV1", entry.fields.Encode());
  out.Set("manager", std::move(entry.manager));
  out.Set("operation", entry.is_applied ? kApply : kUpdate);
  if (!entry.subresource.empty()) out.Set("subresource", std::move(entry.subresource));
  if (!entry.time.empty()) out.Set("time", std::move(entry.time));
  return out;
}

}  // namespace

bool ManagerEntry::IsSameManager(const ManagerEntry& other) const {
  return manager == other.manager && is_applied == other.is_applied &&
         subresource == other.subresource && (is_applied || api_version == other.api_version);
}

Result<ManagerEntries> DecodeManagedFields(const Json& list) {
  ManagerEntries entries;
  if (list.is_null()) return entries;
  if (!list.is_array()) return BadRequest("managedFields must be a list");
  if (list.as_array().size() > kMaxEntries) return BadRequest("managedFields has too many entries");
  entries.reserve(list.as_array().size() + 1);
  for (const Json& json : list.as_array()) {
    Result<ManagerEntry> entry = DecodeEntry(json);
    if (!entry.ok()) return entry.status();
    // Of two entries of one manager the later one counts.
    std::erase_if(entries,
                  [&entry](const ManagerEntry& earlier) { return earlier.IsSameManager(*entry); });
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Result<ManagerEntries> DecodeConcerned(const Json& list, const ManagerEntry& self,
                                       std::initializer_list<const FieldSet*> sets,
                                       JsonArray* others) {
  // One more owner may be one too many, and then the oldest are put together.
  if (!list.is_array() || list.as_array().size() >= kMaxUpdateManagers)
    return DecodeManagedFields(list);
  ManagerEntries entries;
  for (const Json& json : list.as_array()) {
    const Result<ManagerEntry> manager = DecodeManager(json);
    if (!manager.ok()) return manager.status();
    const bool is_concerned =
        manager->IsSameManager(self) || manager->api_version != self.api_version ||
        std::any_of(sets.begin(), sets.end(),
                    [&json](const FieldSet* set) { return IsConcerned(json, *set); });
    if (!is_concerned) {
      others->push_back(json);
      continue;
    }
    Result<ManagerEntry> entry = DecodeEntry(json);
    if (!entry.ok()) return entry.status();
    entries.push_back(*std::move(entry));
  }
  return entries;
}

bool RenewEntry(const ManagerEntry& self, std::string_view time,
                std::initializer_list<const FieldSet*> sets, Json* list) {
  if (!list->is_array()) return false;
  Json* own = nullptr;
  for (Json& json : list->as_array()) {
    if (own == nullptr && IsEntryOf(self, json)) {
      own = &json;
    } else if (json.StringAt({"apiVersion"}) != self.api_version ||
               std::any_of(sets.begin(), sets.end(),
                           [&json](const FieldSet* set) { return IsConcerned(json, *set); })) {
      return false;
    }
  }
  const Json* fields = own == nullptr ? nullptr : own->Find("fieldsV1");
  if (fields == nullptr) return false;
  for (const FieldSet* set : sets)
    if (!OwnsAll(*fields, *set)) return false;
  own->Set("time", time);
  std::sort(list->as_array().begin(), list->as_array().end(), IsBefore);
  return true;
}

Json EncodeManagedFields(ManagerEntries entries, JsonArray others) {
  JsonArray out = std::move(others);
  out.reserve(out.size() + entries.size());
  for (ManagerEntry& entry : entries) out.push_back(EncodeEntry(std::move(entry)));
  if (out.empty()) return nullptr;
  std::sort(out.begin(), out.end(), IsBefore);
  return out;
}

bool IsReset(const Json& list) {
  return list.is_array() && list.as_array().size() == 1 && list.as_array().front().is_object() &&
         list.as_array().front().as_object().empty();
}

void CapUpdateManagers(ManagerEntries* entries) {
  const auto is_update = [](const ManagerEntry& entry) { return !entry.is_applied; };
  auto updates =
      static_cast<std::size_t>(std::count_if(entries->begin(), entries->end(), is_update));
  if (updates <= kMaxUpdateManagers) return;
  // Appliers first, then updaters from the oldest on.
  std::stable_sort(entries->begin(), entries->end(),
                   [](const ManagerEntry& a, const ManagerEntry& b) {
                     return std::tie(b.is_applied, a.time, a.manager) <
                            std::tie(a.is_applied, b.time, b.manager);
                   });
  const auto oldest = std::find_if(entries->begin(), entries->end(), is_update);
  ManagerEntry bucket;
  bucket.manager = kAncientChanges;
  bucket.api_version = oldest->api_version;
  auto next = oldest;
  for (; updates >= kMaxUpdateManagers; ++next, --updates) {
    bucket.fields.Add(next->fields);
    bucket.time = next->time;
  }
  // A bucket that is not among the oldest is filled on.
  for (auto it = next; it != entries->end(); ++it) {
    if (it->IsSameManager(bucket)) {
      it->fields.Add(bucket.fields);
      entries->erase(oldest, next);
      return;
    }
  }
  *oldest = std::move(bucket);
  entries->erase(oldest + 1, next);
}

}  // namespace asyncops::fieldmanager
