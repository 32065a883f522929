#include "reconciler/work_queue.h"

#include <algorithm>

namespace asyncops::reconciler {

Time QueueNow(const Clock& clock) {
  return Time(std::chrono::duration_cast<Duration>(clock.SteadyNow().time_since_epoch()));
}

Time QueueTimeOf(Time due, const Clock& clock) {
  const Time now = clock.Now();
  return due <= now ? Time::min() : QueueNow(clock) + (due - now);
}

bool WorkQueue::IsSooner(const Slot& a, const Slot& b) {
  if (a.second.due != b.second.due) return a.second.due < b.second.due;
  return PackedKey::View(a.first) < PackedKey::View(b.first);
}

void WorkQueue::Put(Slot* slot, std::size_t at) {
  by_time_[at] = slot;
  slot->second.at = static_cast<std::uint32_t>(at);
}

void WorkQueue::Rise(Slot* slot, std::size_t at) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!IsSooner(*slot, *by_time_[parent])) break;
    Put(by_time_[parent], at);
    at = parent;
  }
  Put(slot, at);
}

void WorkQueue::Sink(Slot* slot, std::size_t at) {
  while (2 * at + 1 < by_time_.size()) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < by_time_.size() && IsSooner(*by_time_[child + 1], *by_time_[child])) ++child;
    if (!IsSooner(*by_time_[child], *slot)) break;
    Put(by_time_[child], at);
    at = child;
  }
  Put(slot, at);
}

void WorkQueue::AddTime(Slot* slot) {
  by_time_.push_back(slot);
  Rise(slot, by_time_.size() - 1);
}

void WorkQueue::DropTime(Slot* slot) {
  const std::size_t at = slot->second.at;
  Slot* const last = by_time_.back();
  by_time_.pop_back();
  if (last == slot) return;
  if (at > 0 && IsSooner(*last, *by_time_[(at - 1) / 2])) return Rise(last, at);
  Sink(last, at);
}

WorkQueue::Slot& WorkQueue::SlotOf(const WorkKey& key) {
  const auto found = entries_.find(PackedKey::View(key));
  return found != entries_.end() ? *found : *entries_.try_emplace(PackedKey(key)).first;
}

void WorkQueue::MakeDue(Slot* slot, WorkLevel level) {
  Entry& entry = slot->second;
  if (entry.place == Place::kDue) {
    if (entry.level == level || level == WorkLevel::kBacklog) return;
    RowOf(entry.level).erase(entry.in_row);
  }
  if (entry.place == Place::kWaiting) DropTime(slot);
  entry.place = Place::kDue;
  entry.level = level;
  Row& row = RowOf(level);
  entry.in_row = row.insert(row.end(), slot);
}

void WorkQueue::Wait(Slot* slot, Time due, WorkLevel level) {
  Entry& entry = slot->second;
  if (entry.place == Place::kWaiting) DropTime(slot);
  entry.place = Place::kWaiting;
  entry.due = due;
  entry.level = level;
  AddTime(slot);
}

void WorkQueue::Add(const WorkKey& key, bool nudged, std::int64_t changed) {
  Slot& slot = SlotOf(key);
  Entry& entry = slot.second;
  entry.nudged = entry.nudged || nudged;
  const bool more = entry.told;
  entry.told = true;
  const bool one_kind = !more || (entry.changed > 0 && changed > 0) || entry.changed == changed;
  entry.changed = one_kind ? std::max(more ? entry.changed : changed, changed) : 0;
  if (entry.place != Place::kActive) MakeDue(&slot, WorkLevel::kNormal);
}

void WorkQueue::AddAt(const WorkKey& key, Time due, WorkLevel level) {
  Slot& slot = SlotOf(key);
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
  while (!by_time_.empty() && by_time_.front()->second.due <= now) {
    Slot* const slot = by_time_.front();
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
  WorkItem item{.key = slot->first.Unpacked(),
                .nudged = entry.nudged,
                .told = entry.told,
                .changed = entry.changed};
  entry.place = Place::kActive;
  entry.nudged = entry.told = false;
  entry.changed = 0;
  return item;
}

void WorkQueue::Done(const WorkKey& key) {
  const auto it = entries_.find(PackedKey::View(key));
  if (it == entries_.end() || it->second.place != Place::kActive) return;
  Entry& entry = it->second;
  const bool at = entry.again_at;
  entry.again_at = false;
  if (entry.told) return MakeDue(&*it, WorkLevel::kNormal);
  if (at) return Wait(&*it, entry.due, WorkLevel::kNormal);
  entries_.erase(it);
}

std::optional<Time> WorkQueue::NextDue() const {
  if (due() > 0) return Time::min();
  if (by_time_.empty()) return std::nullopt;
  return by_time_.front()->second.due;
}

}  // namespace asyncops::reconciler
