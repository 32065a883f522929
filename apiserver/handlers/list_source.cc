#include "apiserver/handlers/list_source.h"

#include <algorithm>
#include <utility>

#include "apiserver/handlers/table.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"

namespace asyncops::apiserver {

ListSource::ListSource(const storage::Store& store, const ResourceInfo& resource,
                       Representation representation, storage::ListQuery query, std::int64_t limit,
                       storage::ListPage first, Time now)
    : store_(store),
      resource_(resource),
      representation_(std::move(representation)),
      query_(std::move(query)),
      limit_(limit),
      now_(now),
      page_(std::move(first)) {
  // Every page after the first one shows the same moment.
  query_.at = page_.revision;
}

void ListSource::SetWake(std::function<void()> /*wake*/) {}

http::BodySource::State ListSource::Read(std::string* out) {
  // What stands there already is not this source's.
  const std::size_t enough = out->size() + kStreamChunkBytes;
  if (!begun_) AppendHead(out);
  begun_ = true;
  while (out->size() < enough) {
    if (next_row_ == page_.rows.size()) {
      if (!page_.more || ReachedLimit()) {
        AppendTail(out);
        return State::kEnd;
      }
      if (!NextPage()) return State::kAbort;
      continue;
    }
    AppendRow(page_.rows[next_row_++], out);
  }
  return State::kMore;
}

void ListSource::AppendHead(std::string* out) {
  switch (representation_.view) {
    case View::kTable: out->append("{" + TableHead(resource_, representation_, true)); break;
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

void ListSource::AppendRow(const storage::Record& record, std::string* out) {
  if (written_++ > 0) out->push_back(',');
  switch (representation_.view) {
    case View::kTable: AppendTableRow(resource_, representation_, record.json, now_, out); break;
    case View::kPartialMetadata:
      AppendPartialMetadata(record.json, representation_.version, out);
      break;
    case View::kObject: out->append(record.json); break;
  }
}

void ListSource::AppendTail(std::string* out) {
  JsonObject metadata;
  metadata.Set("resourceVersion", std::to_string(page_.revision));
  if (page_.more && !page_.rows.empty()) {
    const storage::ObjectKey& last = page_.rows.back().key;
    const ContinueToken token{page_.revision, last.namespace_name, last.name};
    metadata.Set("continue", token.Encode());
  }
  out->append("],\"metadata\":");
  AppendJson(metadata, out);
  out->append("}\n");
}

bool ListSource::NextPage() {
  query_.after_namespace = page_.rows.back().key.namespace_name;
  query_.after_name = page_.rows.back().key.name;
  if (limit_ > 0) {
    query_.limit = static_cast<int>(
        std::min<std::int64_t>(limit_ - written_, static_cast<std::int64_t>(kMaxRowsPerRead)));
  }
  Result<storage::ListPage> page = store_.List(query_);
  if (!page.ok()) {
    Log(LogLevel::kError, "list cut short",
        {{"resource", resource_.plural}, {"reason", page.status().message()}});
    return false;
  }
  page_ = std::move(*page);
  next_row_ = 0;
  return true;
}

}  // namespace asyncops::apiserver
