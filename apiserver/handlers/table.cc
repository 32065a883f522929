#include "apiserver/handlers/table.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/json_raw.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kUnknownAge = "<unknown>";

// An object taken apart two levels deep, which is where its columns look: each level is scanned
// once, however many columns there are.
class Row {
 public:
  explicit Row(std::string_view object) : top_(object) {}

  std::string_view At(const std::vector<std::string>& path) {
    if (path.empty()) return {};
    if (path.size() == 1) return top_.Find(path[0]);
    std::string_view value = Second(path[0]).Find(path[1]);
    for (std::size_t i = 2; i < path.size(); ++i) value = RawMember(value, path[i]);
    return value;
  }
  std::string_view metadata() const { return top_.Find("metadata"); }

 private:
  const RawObject& Second(const std::string& name) {
    for (const auto& [known, members] : second_) {
      if (known == name) return members;
    }
    return second_.emplace_back(name, RawObject(top_.Find(name))).second;
  }

  const RawObject top_;
  std::vector<std::pair<std::string_view, RawObject>> second_;
};

std::optional<Time> TimeAt(Row& row, const std::vector<std::string>& path) {
  const std::string_view raw = row.At(path);
  return RawIsString(raw) ? ParseTime(RawText(raw)) : std::nullopt;
}

// The named member of the condition of that type; "" where there is none.
std::string ConditionMember(Row& row, std::string_view type, std::string_view member) {
  for (const std::string_view condition : RawItems(row.At({"status", "conditions"}))) {
    if (RawText(RawMember(condition, "type")) == type) return RawText(RawMember(condition, member));
  }
  return "";
}

std::size_t CountMembers(std::string_view raw) {
  if (raw.empty()) return 0;
  if (raw.front() == '[') return RawItems(raw).size();
  const Result<Json> parsed = ParseJson(raw);
  return parsed.ok() && parsed->is_object() ? parsed->as_object().size() : 0;
}

// "kind/name"; "" where there is no reference.
std::string ReferenceText(std::string_view raw) {
  if (RawIsNull(raw)) return "";
  std::string kind = RawText(RawMember(raw, "kind"));
  for (char& c : kind) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return kind + "/" + RawText(RawMember(raw, "name"));
}

std::string AgeText(const TableColumn& column, Row& row, Time now) {
  std::optional<Time> time = TimeAt(row, column.path);
  if (!time) time = TimeAt(row, column.fallback_path);
  return time ? HumanDuration(now - *time) : std::string(kUnknownAge);
}

std::string UntilText(const TableColumn& column, Row& row, Time now) {
  const std::optional<Time> time = TimeAt(row, column.path);
  return time && *time > now ? HumanDuration(*time - now) : std::string();
}

void AppendMetadata(std::string_view metadata, std::string_view version, std::string* out) {
  out->append("{\"apiVersion\":\"meta.k8s.io/");
  out->append(version);
  out->append("\",\"kind\":\"PartialObjectMetadata\",\"metadata\":");
  out->append(metadata);
  out->push_back('}');
}

void AppendPathCell(const TableColumn& column, Row& row, std::string* out) {
  const std::string_view raw = row.At(column.path);
  const bool is_integer = column.type == "integer";
  if (RawIsNull(raw)) {
    out->append(is_integer ? "0" : "\"\"");
  } else if (RawIsString(raw) || is_integer) {
    out->append(raw);
  } else {
    AppendJsonString(raw, out);
  }
}

void AppendCell(const TableColumn& column, Row& row, Time now, std::string* out) {
  switch (column.source) {
    case TableColumn::Source::kPath: return AppendPathCell(column, row, out);
    case TableColumn::Source::kAge: return AppendJsonString(AgeText(column, row, now), out);
    case TableColumn::Source::kUntil: return AppendJsonString(UntilText(column, row, now), out);
    case TableColumn::Source::kConditionStatus:
      return AppendJsonString(ConditionMember(row, column.path.front(), "status"), out);
    case TableColumn::Source::kConditionReason:
      return AppendJsonString(ConditionMember(row, column.path.front(), "reason"), out);
    case TableColumn::Source::kCount:
      out->append(std::to_string(CountMembers(row.At(column.path))));
      return;
    case TableColumn::Source::kReference:
      return AppendJsonString(ReferenceText(row.At(column.path)), out);
  }
}

}  // namespace

std::string TableHead(const ResourceInfo& resource, const Representation& representation,
                      bool with_columns) {
  JsonArray columns;
  for (const TableColumn& column : resource.columns) {
    if (!with_columns) break;
    columns.push_back(Json::Of({{"name", column.name},
                                {"type", column.type},
                                {"format", column.format},
                                {"description", column.description},
                                {"priority", column.priority}}));
  }
  std::string out = "\"apiVersion\":\"meta.k8s.io/" + representation.version + "\"";
  out += ",\"columnDefinitions\":";
  AppendJson(columns, &out);
  return out + ",\"kind\":\"Table\"";
}

void AppendPartialMetadata(std::string_view object, std::string_view version, std::string* out) {
  AppendMetadata(RawMember(object, "metadata"), version, out);
}

void AppendTableRow(const ResourceInfo& resource, const Representation& representation,
                    std::string_view object, Time now, std::string* out) {
  Row row(object);
  out->append("{\"cells\":[");
  bool first = true;
  for (const TableColumn& column : resource.columns) {
    if (!first) out->push_back(',');
    first = false;
    AppendCell(column, row, now, out);
  }
  out->append("],\"object\":");
  switch (representation.include_object) {
    case IncludeObject::kMetadata:
      AppendMetadata(row.metadata(), representation.version, out);
      break;
    case IncludeObject::kObject: out->append(object); break;
    case IncludeObject::kNone: out->append("null"); break;
  }
  out->push_back('}');
}

void AppendTableOfOne(const ResourceInfo& resource, const Representation& representation,
                      bool with_columns, std::string_view object, Time now, std::string* out) {
  out->append("{").append(TableHead(resource, representation, with_columns));
  out->append(",\"metadata\":{\"resourceVersion\":");
  const std::string_view version = RawAt(object, {"metadata", "resourceVersion"});
  out->append(version.empty() ? "\"\"" : version);
  out->append("},\"rows\":[");
  AppendTableRow(resource, representation, object, now, out);
  out->append("]}");
}

}  // namespace asyncops::apiserver
