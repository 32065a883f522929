#include "apiserver/handlers/list_source.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::apiserver {

ListSource::ListSource(const storage::Store& store, const ResourceInfo& resource,
                       const Representation& representation, storage::ListQuery query,
                       std::int64_t limit, Time now)
    : store_(store),
      resource_(resource),
      representation_(representation),
      writer_(resource, representation),
      query_(std::move(query)),
      limit_(limit),
      now_(now) {
  query_.parts = writer_.RowParts();
}

Result<std::unique_ptr<ListSource>> ListSource::Open(const storage::Store& store,
                                                     const ResourceInfo& resource,
                                                     const Representation& representation,
                                                     storage::ListQuery query, std::int64_t limit,
                                                     Time now) {
  std::unique_ptr<ListSource> source(
      new ListSource(store, resource, representation, std::move(query), limit, now));
  source->AppendHead(&source->first_);
  ASYNCOPS_RETURN_IF_ERROR(source->ReadRows(&source->first_));
  return source;
}

void ListSource::SetWake(std::function<void()> /*wake*/) {}

http::BodySource::State ListSource::Read(std::string* out) {
  if (!first_.empty()) {
    out->append(std::exchange(first_, std::string()));
  } else if (const Status status = ReadRows(out); !status.ok()) {
    Log(LogLevel::kError, "list cut short",
        {{"resource", resource_.plural}, {"reason", status.message()}});
    return State::kAbort;
  }
  if (end_.more && !ReachedLimit()) return State::kMore;
  AppendTail(out);
  return State::kEnd;
}

Status ListSource::ReadRows(std::string* out) {
  query_.limit = kMaxRowsPerRead;
  if (limit_ > 0) {
    query_.limit = static_cast<int>(
        std::min<std::int64_t>(limit_ - written_, static_cast<std::int64_t>(kMaxRowsPerRead)));
  }
  // What stands there already is not this read's.
  const std::size_t enough = out->size() + kStreamChunkBytes;
  Result<storage::ListEnd> end =
      store_.ListRows(query_, [this, out, enough](const storage::ListRow& row) {
        AppendRow(row, out);
        return out->size() < enough;
      });
  if (!end.ok()) return end.status();
  end_ = std::move(*end);
  // Every page after the first one shows the same moment.
  storage::ContinueAfter(end_, &query_);
  return Status::Ok();
}

void ListSource::AppendHead(std::string* out) const {
  switch (representation_.view) {
    case View::kTable: out->append("{" + writer_.TableHead(true)); break;
    case View::kPartialMetadata:
      out->append("{\"apiVersion\":\"meta.k8s.io/" + representation_.version +
                  "\",\"kind\":\"PartialObjectMetadataList\"");
      break;
    case View::kObject:
      out->append("{\"apiVersion\":\"" + resource_.GroupVersion() + "\",\"kind\":\"" +
                  resource_.kind + "List\"");
      break;
  }
  out->append(representation_.view == View::kTable ? ",\"rows\":[" : ",\"items\":[");
}

void ListSource::AppendRow(const storage::ListRow& row, std::string* out) {
  if (written_++ > 0) out->push_back(',');
  const StoredObject object{.json = row.json, .summary = row.summary};
  switch (representation_.view) {
    case View::kTable: writer_.AppendTableRow(object, now_, out); break;
    case View::kPartialMetadata: writer_.AppendPartialMetadata(object, out); break;
    case View::kObject: out->append(row.json); break;
  }
}

void ListSource::AppendTail(std::string* out) const {
  JsonObject metadata;
  metadata.Set("resourceVersion", std::to_string(end_.revision));
  if (end_.more) {
    const ContinueToken token{end_.revision, end_.last_namespace, end_.last_name};
    metadata.Set("continue", token.Encode());
  }
  out->append("],\"metadata\":");
  AppendJson(metadata, out);
  out->append("}\n");
}

}  // namespace asyncops::apiserver
