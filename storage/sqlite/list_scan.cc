#include "storage/sqlite/list_scan.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace asyncops::storage {
namespace {

using Values = std::vector<std::variant<std::int64_t, std::string>>;

// More values of one `in` than this are filtered, not merged: each costs a cursor.
constexpr std::size_t kMaxMergedValues = 8;

constexpr std::string_view kName = "metadata.name";
constexpr std::string_view kNamespace = "metadata.namespace";

// A key of the index and the values of which one must be there.
struct IndexedRequirement {
  std::string key;
  std::vector<std::string> values;
};

std::vector<IndexedRequirement> IndexedRequirements(const ListQuery& query) {
  std::vector<IndexedRequirement> found;
  for (const FieldRequirement& field : query.fields.requirements) {
    if (field.equal && !field.value.empty() && field.field != kName && field.field != kNamespace)
      found.push_back({"f:" + field.field, {field.value}});
  }
  for (const LabelRequirement& label : query.labels.requirements) {
    if (label.op != LabelRequirement::Operator::kIn) continue;
    std::vector<std::string> values = label.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty() || values.size() > kMaxMergedValues) continue;
    found.push_back({"l:" + label.key, std::move(values)});
  }
  // The fewest values first: it drives the scan.
  std::stable_sort(found.begin(), found.end(),
                   [](const IndexedRequirement& a, const IndexedRequirement& b) {
                     return a.values.size() < b.values.size();
                   });
  return found;
}

const std::string* RequiredField(const ListQuery& query, std::string_view field) {
  for (const FieldRequirement& requirement : query.fields.requirements)
    if (requirement.equal && requirement.field == field) return &requirement.value;
  return nullptr;
}

std::string NamespaceOf(const ListQuery& query) {
  if (!query.namespace_name.empty()) return query.namespace_name;
  const std::string* required = RequiredField(query, kNamespace);
  return required == nullptr ? std::string() : *required;
}

// Builds the arms of the compound statement.
class Builder {
 public:
  Builder(const ListQuery& query, std::int64_t resource, const ListPosition& position)
      : query_(query), resource_(resource), position_(position), namespace_(NamespaceOf(query)) {}

  ListScan Build() {
    std::vector<IndexedRequirement> indexed = IndexedRequirements(query_);
    if (indexed.empty()) {
      AddCurrent();
    } else {
      for (const std::string& value : indexed.front().values)
        AddSelected(indexed.front().key, value);
    }
    if (position_.at != 0) AddPast();
    scan_.sql += " ORDER BY 1, 2 LIMIT ?";
    scan_.values.emplace_back(std::int64_t{position_.rows});
    return std::move(scan_);
  }

 private:
  void BeginArm(std::string_view keys) {
    if (!scan_.sql.empty()) scan_.sql += " UNION ALL ";
    scan_.sql.append("SELECT ").append(keys).append(".namespace, ").append(keys);
    scan_.sql += ".name, k.rev FROM ";
  }

  void AddCurrent() {
    BeginArm("k");
    scan_.sql += "current k WHERE k.resource = ?";
    scan_.values.emplace_back(resource_);
    AddRange("k");
    AddUpTo();
  }

  // CROSS JOIN is how SQLite is told the order of the loops.
  void AddSelected(const std::string& key, const std::string& value) {
    BeginArm("s");
    scan_.sql +=
        "selectable s CROSS JOIN current k ON k.resource = s.resource AND k.namespace = "
        "s.namespace AND k.name = s.name "
        "WHERE s.resource = ? AND s.key = ? AND s.value = ?";
    scan_.values.emplace_back(resource_);
    scan_.values.emplace_back(key);
    scan_.values.emplace_back(value);
    AddRange("s");
    AddUpTo();
  }

  void AddPast() {
    BeginArm("k");
    scan_.sql += "past k WHERE k.resource = ?";
    scan_.values.emplace_back(resource_);
    AddRange("k");
    AddUpTo();
    scan_.sql += " AND k.rev_to > ?";
    scan_.values.emplace_back(position_.at);
  }

  void AddUpTo() {
    if (position_.at == 0) return;
    scan_.sql += " AND k.rev <= ?";
    scan_.values.emplace_back(position_.at);
  }

  // The keys after the position.
  void AddRange(std::string_view keys) {
    const std::string x = std::string(" AND ") + std::string(keys) + ".";
    if (const std::string* name = RequiredField(query_, kName)) {
      scan_.sql += x + "name = ?";
      scan_.values.emplace_back(*name);
    }
    if (namespace_.empty()) {
      scan_.sql.append(" AND (").append(keys).append(".namespace, ").append(keys);
      scan_.sql += ".name) > (?, ?)";
      scan_.values.emplace_back(position_.after_namespace);
      scan_.values.emplace_back(position_.after_name);
      return;
    }
    scan_.sql += x + "namespace = ?" + x + "name > ?";
    scan_.values.emplace_back(namespace_);
    scan_.values.emplace_back(position_.after_namespace == namespace_ ? position_.after_name
                                                                      : std::string());
  }

  const ListQuery& query_;
  const std::int64_t resource_;
  const ListPosition& position_;
  const std::string namespace_;
  ListScan scan_;
};

}  // namespace

bool ContradictsItself(const ListQuery& query) {
  const std::string namespace_name = NamespaceOf(query);
  if (namespace_name.empty()) return false;
  if (query.after_namespace > namespace_name) return true;
  return std::any_of(query.fields.requirements.begin(), query.fields.requirements.end(),
                     [&namespace_name](const FieldRequirement& requirement) {
                       return requirement.field == kNamespace && requirement.equal &&
                              requirement.value != namespace_name;
                     });
}

ListScan PlanScan(const ListQuery& query, std::int64_t resource, const ListPosition& position) {
  return Builder(query, resource, position).Build();
}

bool Matches(const ListQuery& query, const Record& row) {
  for (const FieldRequirement& requirement : query.fields.requirements) {
    std::string_view actual;
    if (requirement.field == kName) {
      actual = row.key.name;
    } else if (requirement.field == kNamespace) {
      actual = row.key.namespace_name;
    } else if (const auto found = row.fields.find(requirement.field); found != row.fields.end()) {
      actual = found->second;
    }
    if ((actual == requirement.value) != requirement.equal) return false;
  }
  return query.labels.empty() || query.labels.Matches(row.labels);
}

}  // namespace asyncops::storage
