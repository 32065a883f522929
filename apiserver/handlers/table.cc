#include "apiserver/handlers/table.h"

#include <optional>

#include "base/duration.h"
#include "base/json.h"
#include "base/json_raw.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kUnknownAge = "<unknown>";

std::optional<Time> TimeAt(std::string_view object, const std::vector<std::string>& path) {
  if (path.empty()) return std::nullopt;
  const std::string_view raw = RawAt(object, path);
  return RawIsString(raw) ? ParseTime(RawText(raw)) : std::nullopt;
}

// The named member of the condition of that type; "" where there is none.
std::string ConditionMember(std::string_view object, std::string_view type,
                            std::string_view member) {
  for (const std::string_view condition : RawItems(RawAt(object, {"status", "conditions"}))) {
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

std::string AgeText(const TableColumn& column, std::string_view object, Time now) {
  std::optional<Time> time = TimeAt(object, column.path);
  if (!time) time = TimeAt(object, column.fallback_path);
  return time ? HumanDuration(now - *time) : std::string(kUnknownAge);
}

std::string UntilText(const TableColumn& column, std::string_view object, Time now) {
  const std::optional<Time> time = TimeAt(object, column.path);
  return time && *time > now ? HumanDuration(*time - now) : std::string();
}

void AppendPathCell(const TableColumn& column, std::string_view object, std::string* out) {
  const std::string_view raw = RawAt(object, column.path);
  const bool is_integer = column.type == "integer";
  if (RawIsNull(raw)) {
    out->append(is_integer ? "0" : "\"\"");
  } else if (RawIsString(raw) || is_integer) {
    out->append(raw);
  } else {
    AppendJsonString(raw, out);
  }
}

void AppendCell(const TableColumn& column, std::string_view object, Time now, std::string* out) {
  switch (column.source) {
    case TableColumn::Source::kPath: return AppendPathCell(column, object, out);
    case TableColumn::Source::kAge: return AppendJsonString(AgeText(column, object, now), out);
    case TableColumn::Source::kUntil: return AppendJsonString(UntilText(column, object, now), out);
    case TableColumn::Source::kConditionStatus:
      return AppendJsonString(ConditionMember(object, column.path.front(), "status"), out);
    case TableColumn::Source::kConditionReason:
      return AppendJsonString(ConditionMember(object, column.path.front(), "reason"), out);
    case TableColumn::Source::kCount:
      out->append(std::to_string(CountMembers(RawAt(object, column.path))));
      return;
    case TableColumn::Source::kReference:
      return AppendJsonString(ReferenceText(RawAt(object, column.path)), out);
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
  out->append("{\"apiVersion\":\"meta.k8s.io/");
  out->append(version);
  out->append("\",\"kind\":\"PartialObjectMetadata\",\"metadata\":");
  out->append(RawMember(object, "metadata"));
  out->push_back('}');
}

void AppendTableRow(const ResourceInfo& resource, const Representation& representation,
                    std::string_view object, Time now, std::string* out) {
  out->append("{\"cells\":[");
  bool first = true;
  for (const TableColumn& column : resource.columns) {
    if (!first) out->push_back(',');
    first = false;
    AppendCell(column, object, now, out);
  }
  out->append("],\"object\":");
  switch (representation.include_object) {
    case IncludeObject::kMetadata:
      AppendPartialMetadata(object, representation.version, out);
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
