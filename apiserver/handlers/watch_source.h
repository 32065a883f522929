// A watch on its way out: the state as it is (where asked for), then each change, as the client
// takes them. A slow client holds a cursor and no memory: what it has not seen is read from the
// store's log.
#ifndef ASYNCOPS_APISERVER_HANDLERS_WATCH_SOURCE_H_
#define ASYNCOPS_APISERVER_HANDLERS_WATCH_SOURCE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "api/scheme.h"
#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/table.h"
#include "apiserver/http/response.h"
#include "base/clock.h"
#include "storage/store.h"

namespace asyncops::apiserver {

struct WatchQuery {
  std::string namespace_name;
  ListOptions options;
  Representation representation;
  Duration timeout{};  // the stream ends cleanly after it
};

class WatchSource final : public http::BodySource {
 public:
  // All references outlive the source. Without a resource version, or with 0, the present state
  // comes first as ADDED events; with N what came after N. WatchList (send_initial_events) decides
  // that otherwise, and closes the state with a bookmark.
  WatchSource(storage::Store& store, const ResourceInfo& resource, WatchQuery query,
              const Clock& clock);

  State Read(std::string* out) override;
  void SetWake(std::function<void()> wake) override;
  std::optional<SteadyTime> WakeAt() const override;
  void Stop() override { stopped_ = true; }

 private:
  // Both append events until there are enough bytes or no more events; false where the stream is to
  // end.
  bool ReadState(std::string* out);
  bool ReadChanges(std::string* out, bool* more);
  void AppendChange(const storage::Change& change, std::string* out);
  void AppendEvent(std::string_view type, const StoredObject& object, std::string* out);
  // `ends_initial_events` marks the one that closes the present state.
  void AppendBookmark(bool ends_initial_events, std::string* out);
  void AppendError(const Status& status, std::string* out);
  bool BookmarkDue() const;
  // A minute on, or shortly before the end; the end itself where that has passed.
  SteadyTime NextBookmark(SteadyTime now) const;

  storage::Store& store_;
  const ResourceInfo& resource_;
  const std::string storage_name_;
  const WatchQuery query_;
  const TableWriter writer_;
  const Clock& clock_;
  const SteadyTime end_;
  std::unique_ptr<storage::Subscription> subscription_;
  std::atomic<bool> stopped_{false};

  // The present state, page by page; nothing once it is out.
  std::optional<storage::ListQuery> state_;
  storage::Revision after_ = 0;  // changes up to here are out
  SteadyTime next_bookmark_;
  bool columns_sent_ = false;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_WATCH_SOURCE_H_
