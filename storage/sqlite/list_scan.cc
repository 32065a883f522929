#include "storage/sqlite/list_scan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/control_fields.h"
#include "storage/sqlite/selector_index.h"

namespace asyncops::storage {
namespace {

// More values of one `in` than this are filtered, not looked up: each costs a cursor.
constexpr std::size_t kMaxLookedUpValues = 8;

constexpr std::string_view kName = "metadata.name";
constexpr std::string_view kNamespace = "metadata.namespace";

// Where the blocks begin that have entries, and NULL after the last one.
std::string Blocks() {
  const std::string size = std::to_string(std::int64_t{1} << (kMarkBits + kPlaceBits));
  const std::string start = "min(entry) / " + size + " * " + size;
  return "WITH RECURSIVE blocks(start) AS (SELECT " + start + " FROM selectable UNION ALL SELECT " +
         "(SELECT " + start + " FROM selectable WHERE entry >= blocks.start + " + size +
         ") FROM blocks WHERE start IS NOT NULL) ";
}

constexpr std::string_view kEntriesOfMark =
    "blocks b CROSS JOIN selectable s ON s.entry BETWEEN b.start + ? AND b.start + ?";

// The object of an entry.
std::string ObjectOfEntry() {
  const std::string places = std::to_string(std::int64_t{1} << kPlaceBits);
  return "(s.entry >> " + std::to_string(kMarkBits + kPlaceBits) + ") * " + places +
         " + s.entry % " + places;
}

const std::string* RequiredField(const ListQuery& query, std::string_view field) {
  for (const FieldRequirement& requirement : query.fields.requirements)
    if (requirement.equal && requirement.field == field) return &requirement.value;
  return nullptr;
}

// Builds the arms of a compound statement.
class Builder {
 public:
  Builder(const ListQuery& query, std::int64_t resource, const ListPosition& position)
      : query_(query), resource_(resource), position_(position), namespace_(NamespaceOf(query)) {}

  ListScan Scan() {
    AddRowArm("current k", !query_.parts.summary_prefix.empty());
    AddScanned();
    if (position_.at != 0) {
      scan_.sql += " AND k.rev <= ?";
      scan_.values.emplace_back(position_.at);
      AddRowArm("past k", false);
      AddScanned();
      AddPast();
    }
    return End();
  }

  ListScan Row() {
    constexpr std::string_view kNamed =
        " WHERE k.resource = ?1 AND k.namespace = ?2 AND k.name = ?3";
    AddRowArm("current k", !query_.parts.summary_prefix.empty());
    scan_.sql += kNamed;
    if (position_.at != 0) {
      scan_.sql += " AND k.rev <= ?4";
      AddRowArm("past k", false);
      scan_.sql.append(kNamed).append(" AND k.rev <= ?4 AND k.rev_to > ?4");
    }
    return std::move(scan_);
  }

  ListScan Names(const Requirement& requirement) {
    scan_.sql = Blocks();
    for (const std::int64_t mark : requirement) AddMark(mark);
    if (position_.at != 0) {
      BeginArm();
      scan_.sql += "k.namespace, k.name FROM past k";
      AddScanned();
      AddPast();
    }
    return End();
  }

 private:
  ListScan End() {
    scan_.sql += " ORDER BY 1, 2 LIMIT ?";
    scan_.values.emplace_back(std::int64_t{position_.rows});
    return std::move(scan_);
  }

  bool NeedsValues() const {
    return query_.parts.values || !query_.labels.empty() || !query_.fields.empty();
  }

  // CROSS JOIN is how SQLite is told the order of the loops.
  void AddRowArm(std::string_view table, bool with_summary) {
    scan_.whole = query_.parts.json || NeedsValues();
    BeginArm();
    scan_.sql.append("k.namespace, k.name, k.rev, ").append(with_summary ? "o.summary" : "''");
    if (scan_.whole) {
      scan_.sql += NeedsValues() ? ", v.labels, v.fields" : ", '', ''";
      scan_.sql += query_.parts.json ? ", v.uid, v.json" : ", '', ''";
    }
    scan_.sql.append(" FROM ").append(table);
    if (with_summary) scan_.sql += " CROSS JOIN objects o ON o.id = k.object";
    if (scan_.whole) scan_.sql += " CROSS JOIN versions v ON v.rev = k.rev";
  }

  void AddScanned() {
    scan_.sql += " WHERE k.resource = ?";
    scan_.values.emplace_back(resource_);
    AddRange("k");
  }

  void AddMark(std::int64_t mark) {
    BeginArm();
    scan_.sql.append("o.namespace, o.name FROM ").append(kEntriesOfMark);
    scan_.sql += " CROSS JOIN objects o INDEXED BY object_names ON o.id = ";
    scan_.sql += ObjectOfEntry() + " WHERE TRUE";
    scan_.values.emplace_back(FirstOffset(mark));
    scan_.values.emplace_back(LastOffset(mark));
    AddRange("o");
  }

  void BeginArm() {
    if (arms_++ > 0) scan_.sql += " UNION ALL ";
    scan_.sql += "SELECT ";
  }

  // The state at the position that was replaced since.
  void AddPast() {
    scan_.sql += " AND k.rev <= ? AND k.rev_to > ?";
    scan_.values.emplace_back(position_.at);
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
  int arms_ = 0;
  ListScan scan_;
};

void SortOnce(Requirement* marks) {
  std::sort(marks->begin(), marks->end());
  marks->erase(std::unique(marks->begin(), marks->end()), marks->end());
}

}  // namespace

std::string NamespaceOf(const ListQuery& query) {
  if (!query.namespace_name.empty()) return query.namespace_name;
  const std::string* required = RequiredField(query, kNamespace);
  return required == nullptr ? std::string() : *required;
}

std::string NameOf(const ListQuery& query) {
  const std::string* required = RequiredField(query, kName);
  return required == nullptr ? std::string() : *required;
}

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

std::vector<Requirement> IndexedRequirements(const ListQuery& query, std::int64_t resource) {
  std::vector<Requirement> found;
  if (RequiredField(query, kName) != nullptr && !NamespaceOf(query).empty()) return found;
  for (const FieldRequirement& field : query.fields.requirements) {
    if (field.equal && !field.value.empty() && field.field != kName && field.field != kNamespace)
      found.push_back({MarkOf(resource, PairKind::kField, field.field, field.value)});
  }
  for (const FieldRange& range : query.fields.ranges) {
    const std::vector<std::string> days = DaysOf(range);
    if (days.empty()) continue;
    Requirement& marks = found.emplace_back();
    for (const std::string& day : days)
      marks.push_back(MarkOf(resource, PairKind::kField, range.field, day));
    SortOnce(&marks);
  }
  for (const LabelRequirement& label : query.labels.requirements) {
    if (label.op != LabelRequirement::Operator::kIn || label.values.empty() ||
        label.values.size() > kMaxLookedUpValues)
      continue;
    Requirement& marks = found.emplace_back();
    for (const std::string& value : label.values)
      marks.push_back(MarkOf(resource, PairKind::kLabel, label.key, value));
    SortOnce(&marks);
  }
  return found;
}

ListScan PlanCount(std::int64_t mark, std::int64_t limit) {
  ListScan count;
  count.sql = Blocks() + "SELECT count(*) FROM (SELECT 1 FROM ";
  count.sql.append(kEntriesOfMark).append(" LIMIT ?)");
  count.values = {FirstOffset(mark), LastOffset(mark), limit};
  return count;
}

ListScan PlanScan(const ListQuery& query, std::int64_t resource, const ListPosition& position) {
  return Builder(query, resource, position).Scan();
}

ListScan PlanRow(const ListQuery& query, const ListPosition& position) {
  return Builder(query, 0, position).Row();
}

ListScan PlanNames(const ListQuery& query, std::int64_t resource, const ListPosition& position,
                   const Requirement& requirement) {
  return Builder(query, resource, position).Names(requirement);
}

}  // namespace asyncops::storage
