#include "reconciler/work_queue.h"

#include <algorithm>
#include <functional>

#include "base/crypto.h"

namespace asyncops::reconciler {

Time QueueNow(const Clock& clock) {
  return Time(std::chrono::duration_cast<Duration>(clock.SteadyNow().time_since_epoch()));
}

Time QueueTimeOf(Time due, const Clock& clock) {
  const Time now = clock.Now();
  return due <= now ? Time::min() : QueueNow(clock) + (due - now);
}

std::string_view KindName(WorkKey::Kind kind) {
  if (kind == WorkKey::Kind::kResource) return "AsyncResource";
  return kind == WorkKey::Kind::kSystem ? "ExternalSystem" : "AsyncOperation";
}

std::size_t ShardOf(const WorkKey& key, std::size_t shards) {
  return static_cast<std::size_t>(StableHash(key.namespace_name + "/" + key.name) % shards);
}

std::size_t WorkQueue::KeyHash::operator()(const WorkKey& key) const {
  const std::hash<std::string> hash;
  // Names differ, namespaces seldom do.
  return hash(key.name) ^ (hash(key.namespace_name) * 31) ^ static_cast<std::size_t>(key.kind);
}

bool WorkQueue::Sooner::operator()(const Slot* a, const Slot* b) const {
  if (a->second.due != b->second.due) return a->second.due < b->second.due;
  return a->first < b->first;
}

void WorkQueue::MakeDue(Slot* slot, WorkLevel level) {
  Entry& entry = slot->second;
  if (entry.place == Place::kDue) {
    if (entry.level == level || level == WorkLevel::kBacklog) return;
    RowOf(entry.level).erase(entry.in_row);
  }
  if (entry.place == Place::kWaiting) by_time_.erase(slot);
  entry.place = Place::kDue;
  entry.level = level;
  Row& row = RowOf(level);
  entry.in_row = row.insert(row.end(), slot);
}

void WorkQueue::Wait(Slot* slot, Time due, WorkLevel level) {
  Entry& entry = slot->second;
  if (entry.place == Place::kWaiting) by_time_.erase(slot);
  entry.place = Place::kWaiting;
  entry.due = due;
  entry.level = level;
  by_time_.insert(slot);
}

void WorkQueue::Add(const WorkKey& key, bool nudged, std::int64_t changed) {
  Slot& slot = *entries_.try_emplace(key).first;
  Entry& entry = slot.second;
  entry.nudged = entry.nudged || nudged;
  const bool more = std::exchange(entry.told, true);
  const bool changes_alone = changed != 0 && (!more || entry.changed != 0);
  entry.changed = changes_alone ? std::max(entry.changed, changed) : 0;
  if (entry.place != Place::kActive) MakeDue(&slot, WorkLevel::kNormal);
}

void WorkQueue::AddAt(const WorkKey& key, Time due, WorkLevel level) {
  Slot& slot = *entries_.try_emplace(key).first;
  Entry& entry = slot.second;
  switch (entry.place) {
    case Place::kDue: return;
    case Place::kActive:
      entry.due = entry.again_at ? std::min(entry.due, due) : due;
      entry.again_at = true;
      return;
    case Place::kWaiting:
      if (entry.due > due) Wait(&slot, due, level);
      return;
    case Place::kNew: Wait(&slot, due, level);
  }
}

WorkQueue::Slot* WorkQueue::TakeFirst(WorkLevel level) {
  Row& row = RowOf(level);
  if (row.empty()) return nullptr;
  Slot* const slot = row.front();
  row.pop_front();
  return slot;
}

void WorkQueue::MakeDue(Time now) {
  while (!by_time_.empty() && (*by_time_.begin())->second.due <= now) {
    Slot* const slot = *by_time_.begin();
    MakeDue(slot, slot->second.level);
  }
}

std::optional<WorkItem> WorkQueue::Pop(Time now) {
  MakeDue(now);
  Slot* slot = nullptr;
  if (++since_backlog_ >= kBacklogShare) {
    since_backlog_ = 0;
    slot = TakeFirst(WorkLevel::kBacklog);
  }
  if (slot == nullptr) slot = TakeFirst(WorkLevel::kNormal);
  if (slot == nullptr) slot = TakeFirst(WorkLevel::kBacklog);
  if (slot == nullptr) return std::nullopt;
  Entry& entry = slot->second;
  entry.place = Place::kActive;
  return WorkItem{.key = slot->first,
                  .nudged = std::exchange(entry.nudged, false),
                  .told = std::exchange(entry.told, false),
                  .changed = std::exchange(entry.changed, 0)};
}

void WorkQueue::Done(const WorkKey& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end() || it->second.place != Place::kActive) return;
  Entry& entry = it->second;
  const bool at = std::exchange(entry.again_at, false);
  if (entry.told) return MakeDue(&*it, WorkLevel::kNormal);
  if (at) return Wait(&*it, entry.due, WorkLevel::kNormal);
  entries_.erase(it);
}

std::optional<Time> WorkQueue::NextDue() const {
  if (due() > 0) return Time::min();
  if (by_time_.empty()) return std::nullopt;
  return (*by_time_.begin())->second.due;
}

}  // namespace asyncops::reconciler
