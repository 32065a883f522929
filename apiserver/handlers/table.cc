#include "apiserver/handlers/table.h"

#include "base/json.h"
#include "base/json_raw.h"

namespace asyncops::apiserver {
namespace {

// Of an object without a summary that can be used.
std::string CellsOf(const ResourceInfo& resource, std::string_view json) {
  const Result<Json> object = ParseJson(json);
  return EncodeCells(resource, object.ok() ? *object : Json());
}

}  // namespace

JsonArray ColumnDefinitions(const std::vector<TableColumn>& columns) {
  JsonArray definitions;
  for (const TableColumn& column : columns) {
    definitions.push_back(Json::Of({{"name", column.name},
                                    {"type", column.type},
                                    {"format", column.format},
                                    {"description", column.description},
                                    {"priority", column.priority}}));
  }
  return definitions;
}

TableWriter::TableWriter(const ResourceInfo& resource, const Representation& representation)
    : resource_(resource), representation_(representation), prefix_(SummaryPrefix(resource)) {}

storage::RowParts TableWriter::RowParts() const {
  if (representation_.view == View::kObject) return {};
  const bool with_object = representation_.view == View::kTable &&
                           representation_.include_object == IncludeObject::kObject;
  return {.json = with_object, .summary_prefix = prefix_};
}

std::string TableWriter::TableHead(bool with_columns) const {
  std::string out = "\"apiVersion\":\"meta.k8s.io/" + representation_.version + "\"";
  out += ",\"columnDefinitions\":";
  AppendJson(with_columns ? ColumnDefinitions(resource_.columns) : JsonArray(), &out);
  return out + ",\"kind\":\"Table\"";
}

ObjectSummary TableWriter::SummaryOf(const StoredObject& object, std::string* cells) const {
  if (const auto summary = ReadSummary(object.summary, prefix_)) return *summary;
  *cells = CellsOf(resource_, object.json);
  return {.metadata = RawMember(object.json, "metadata"), .cells = *cells};
}

void TableWriter::AppendTableRow(const StoredObject& object, Time now, std::string* out) const {
  std::string cells;
  AppendRow(SummaryOf(object, &cells), object.json, now, out);
}

void TableWriter::AppendRow(const ObjectSummary& summary, std::string_view json, Time now,
                            std::string* out) const {
  out->append("{\"cells\":[");
  AppendCells(summary.cells, now, out);
  out->append("],\"object\":");
  switch (representation_.include_object) {
    case IncludeObject::kMetadata: AppendMetadata(summary.metadata, out); break;
    case IncludeObject::kObject: out->append(json); break;
    case IncludeObject::kNone: out->append("null"); break;
  }
  out->push_back('}');
}

void TableWriter::AppendTableOfOne(bool with_columns, const StoredObject& object, Time now,
                                   std::string* out) const {
  std::string cells;
  const ObjectSummary summary = SummaryOf(object, &cells);
  out->append("{").append(TableHead(with_columns));
  out->append(",\"metadata\":{\"resourceVersion\":");
  const std::string_view version = RawMember(summary.metadata, "resourceVersion");
  out->append(version.empty() ? "\"\"" : version);
  out->append("},\"rows\":[");
  AppendRow(summary, object.json, now, out);
  out->append("]}");
}

void TableWriter::AppendPartialMetadata(const StoredObject& object, std::string* out) const {
  const auto summary = ReadSummary(object.summary, prefix_);
  AppendMetadata(summary ? summary->metadata : RawMember(object.json, "metadata"), out);
}

void TableWriter::AppendMetadata(std::string_view metadata, std::string* out) const {
  out->append("{\"apiVersion\":\"meta.k8s.io/").append(representation_.version);
  out->append("\",\"kind\":\"PartialObjectMetadata\",\"metadata\":");
  out->append(metadata).push_back('}');
}

}  // namespace asyncops::apiserver
