#include "apiserver/handlers/watch_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "apiserver/http/status_response.h"
#include "base/json.h"
#include "base/limits.h"
#include "storage/selection.h"

namespace asyncops::apiserver {
namespace {

// apiserver's cacher: a bookmark about each minute, and one shortly before the end.
constexpr std::chrono::seconds kBookmarkInterval{60};
constexpr std::chrono::seconds kBookmarkBeforeEnd{2};
// metav1.InitialEventsAnnotationKey: what a reflector waits for.
constexpr const char* kInitialEventsEnd = "k8s.io/initial-events-end";
// Changes looked at in one read of the log.
constexpr int kChangesPerRead = 100;

bool Selects(const ListOptions& options, const storage::ObjectKey& key,
             const storage::EncodedPairs& labels, const storage::EncodedPairs& fields) {
  return storage::Matches(options.labels, options.fields,
                          {.namespace_name = key.namespace_name,
                           .name = key.name,
                           .labels = labels.text(),
                           .fields = fields.text()});
}

// Which event the client sees of a change: "" for none. Leaving a selector is a deletion to it,
// entering an addition.
std::string_view EventType(const ListOptions& options, const storage::Change& change) {
  const storage::Record& record = change.record;
  const bool matched = change.type != storage::ChangeType::kAdded && change.previous_labels &&
                       Selects(options, record.key, *change.previous_labels,
                               change.previous_fields.value_or(storage::EncodedPairs()));
  const bool matches = change.type != storage::ChangeType::kDeleted &&
                       Selects(options, record.key, record.labels, record.fields);
  if (matches) return matched ? "MODIFIED" : "ADDED";
  return matched ? "DELETED" : "";
}

}  // namespace

WatchSource::WatchSource(storage::Store& store, const ResourceInfo& resource, WatchQuery query,
                         const Clock& clock)
    : store_(store),
      resource_(resource),
      storage_name_(resource.GroupResource()),
      query_(std::move(query)),
      writer_(resource, query_.representation),
      clock_(clock),
      end_(clock.SteadyNow() + query_.timeout),
      next_bookmark_(NextBookmark(clock.SteadyNow())) {
  const storage::Revision version = query_.options.resource_version.value_or(0);
  if (!query_.options.send_initial_events.value_or(version == 0)) {
    after_ = version == 0 ? store.revision() : version;
    return;
  }
  storage::ListQuery state;
  state.resource = storage_name_;
  state.namespace_name = query_.namespace_name;
  state.labels = query_.options.labels;
  state.fields = query_.options.fields;
  state.parts = writer_.RowParts();
  state_ = std::move(state);
}

void WatchSource::SetWake(std::function<void()> wake) {
  subscription_ = store_.Subscribe(storage_name_, std::move(wake));
}

std::optional<SteadyTime> WatchSource::WakeAt() const {
  return query_.options.allow_bookmarks ? std::min(end_, next_bookmark_) : end_;
}

http::BodySource::State WatchSource::Read(std::string* out) {
  if (stopped_ || clock_.SteadyNow() >= end_) return State::kEnd;
  const std::size_t enough = out->size() + kStreamChunkBytes;
  while (state_ && out->size() < enough) {
    if (!ReadState(out)) return State::kEnd;
  }
  if (state_) return State::kMore;
  bool more = true;
  while (more && out->size() < enough) {
    if (!ReadChanges(out, &more)) return State::kEnd;
  }
  if (more) return State::kMore;
  if (BookmarkDue()) {
    AppendBookmark(false, out);
    next_bookmark_ = NextBookmark(clock_.SteadyNow());
  }
  return State::kPending;
}

bool WatchSource::ReadState(std::string* out) {
  const std::size_t enough = out->size() + kStreamChunkBytes;
  const Result<storage::ListEnd> end =
      store_.ListRows(*state_, [this, out, enough](const storage::ListRow& row) {
        AppendEvent("ADDED", {.json = row.json, .summary = row.summary}, out);
        return out->size() < enough;
      });
  if (!end.ok()) {
    AppendError(end.status(), out);
    return false;
  }
  after_ = end->revision;
  if (!end->more) {
    state_.reset();
    if (query_.options.send_initial_events && query_.options.allow_bookmarks)
      AppendBookmark(true, out);
    return true;
  }
  storage::ContinueAfter(*end, &*state_);
  return true;
}

bool WatchSource::ReadChanges(std::string* out, bool* more) {
  const Result<storage::ChangeBatch> batch =
      store_.Changes(storage_name_, query_.namespace_name, after_, kChangesPerRead);
  if (!batch.ok()) {
    AppendError(batch.status(), out);
    return false;
  }
  for (const auto& change : batch->changes) AppendChange(*change, out);
  *more = !batch->changes.empty();
  after_ = std::max(after_, batch->through);
  return true;
}

void WatchSource::AppendChange(const storage::Change& change, std::string* out) {
  const std::string_view type = EventType(query_.options, change);
  const storage::Record& record = change.record;
  if (!type.empty()) AppendEvent(type, {.json = record.json, .summary = record.summary}, out);
}

void WatchSource::AppendEvent(std::string_view type, const StoredObject& object, std::string* out) {
  out->append("{\"type\":\"").append(type).append("\",\"object\":");
  switch (query_.representation.view) {
    case View::kObject: out->append(object.json); break;
    case View::kPartialMetadata: writer_.AppendPartialMetadata(object, out); break;
    case View::kTable:
      writer_.AppendTableOfOne(!columns_sent_, object, clock_.Now(), out);
      columns_sent_ = true;
      break;
  }
  out->append("}\n");
}

SteadyTime WatchSource::NextBookmark(SteadyTime now) const {
  const SteadyTime last = end_ - kBookmarkBeforeEnd;
  return now < last ? std::min(now + kBookmarkInterval, last) : end_;
}

bool WatchSource::BookmarkDue() const {
  return query_.options.allow_bookmarks && clock_.SteadyNow() >= next_bookmark_;
}

void WatchSource::AppendBookmark(bool ends_initial_events, std::string* out) {
  Json metadata =
      Json::Of({{"resourceVersion", std::to_string(std::max<storage::Revision>(after_, 1))}});
  if (ends_initial_events) metadata.Set("annotations", Json::Of({{kInitialEventsEnd, "true"}}));
  const std::string bookmark = EncodeJson(Json::Of({{"kind", resource_.kind},
                                                    {"apiVersion", resource_.GroupVersion()},
                                                    {"metadata", std::move(metadata)}}));
  AppendEvent("BOOKMARK", {.json = bookmark, .summary = {}}, out);
}

void WatchSource::AppendError(const Status& status, std::string* out) {
  out->append("{\"type\":\"ERROR\",\"object\":");
  AppendJson(http::StatusJson(status), out);
  out->append("}\n");
}

}  // namespace asyncops::apiserver
