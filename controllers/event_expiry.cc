#include "controllers/event_expiry.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/rfc3339.h"
#include "controllers/object_edit.h"
#include "storage/control_fields.h"

namespace asyncops::controllers {
namespace {

constexpr std::chrono::minutes kMinute{1};
// After a longer gap (the clock was set, the machine slept) it is cheaper to look at all Events
// than at each minute.
constexpr std::chrono::minutes kLongestWalk{120};
constexpr std::size_t kMinuteSize = 16;

storage::ListQuery EventQuery() {
  storage::ListQuery query;
  query.resource = "events";
  query.limit = kEditBatch;
  query.parts.json = false;
  query.parts.values = true;
  return query;
}

std::string TextOf(Time minute) { return FormatTime(minute).substr(0, kMinuteSize); }

// Removes those of them that were created before the cutoff, and not again meanwhile.
Status Remove(storage::Store& store, Time now, const std::vector<storage::ObjectKey>& keys,
              const std::string& cutoff) {
  return EditObjects(store, now, keys, [&cutoff](const storage::ObjectKey& /*key*/, Json* event) {
    const std::string_view created = event->StringAt({"metadata", "creationTimestamp"});
    return created < cutoff ? Edit::kRemove : Edit::kKeep;
  });
}

}  // namespace

Result<bool> EventExpiry::Work() {
  if (ttl_ <= Duration::zero()) return false;
  // Events of this minute and later ones stay.
  const Time cutoff = std::chrono::floor<std::chrono::minutes>(clock_.Now() - ttl_);
  if (next_minute_ && cutoff - *next_minute_ > kLongestWalk) next_minute_.reset();
  if (next_minute_) return *next_minute_ < cutoff ? WorkOnMinute(*next_minute_) : false;
  if (!old_until_) old_until_ = cutoff;
  return WorkOnOld(TextOf(*old_until_));
}

Result<bool> EventExpiry::WorkOnOld(const std::string& cutoff) {
  storage::ListQuery query = EventQuery();
  query.limit = kMaxRowsPerRead;
  query.after_namespace = after_namespace_;
  query.after_name = after_name_;
  const Result<storage::ListPage> page = store_.List(query);
  if (!page.ok()) return page.status();
  std::vector<storage::ObjectKey> expired;
  for (const storage::Record& row : page->rows) {
    const std::string_view minute = storage::MinuteOf(row.fields);
    if (!minute.empty() && minute < cutoff) expired.push_back(row.key);
  }
  ASYNCOPS_RETURN_IF_ERROR(Remove(store_, clock_.Now(), expired, cutoff));
  if (page->more && !page->rows.empty()) {
    after_namespace_ = page->rows.back().key.namespace_name;
    after_name_ = page->rows.back().key.name;
    return true;
  }
  next_minute_ = std::exchange(old_until_, std::nullopt);
  after_namespace_.clear();
  after_name_.clear();
  return true;
}

Result<bool> EventExpiry::WorkOnMinute(Time minute) {
  storage::ListQuery query = EventQuery();
  query.fields = storage::CreatedInMinute(TextOf(minute));
  const Result<storage::ListPage> page = store_.List(query);
  if (!page.ok()) return page.status();
  std::vector<storage::ObjectKey> expired;
  for (const storage::Record& row : page->rows) expired.push_back(row.key);
  ASYNCOPS_RETURN_IF_ERROR(Remove(store_, clock_.Now(), expired, TextOf(minute + kMinute)));
  if (!page->more) next_minute_ = minute + kMinute;
  return true;
}

}  // namespace asyncops::controllers
