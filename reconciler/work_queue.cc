#include "reconciler/work_queue.h"

#include <utility>

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

void WorkQueue::MakeDue(const WorkKey& key, WorkLevel level) {
  if (const auto it = waiting_.find(key); it != waiting_.end()) {
    by_time_.erase({it->second.due, key});
    waiting_.erase(it);
  }
  const auto [it, added] = due_level_.try_emplace(key, level);
  if (!added && (it->second == level || level == WorkLevel::kBacklog)) return;
  it->second = level;
  (level == WorkLevel::kNormal ? normal_ : backlog_).push_back(key);
}

void WorkQueue::Add(const WorkKey& key, bool nudged) {
  if (nudged) nudged_.insert(key);
  if (active_.contains(key)) {
    again_.insert(key);
  } else {
    MakeDue(key, WorkLevel::kNormal);
  }
}

void WorkQueue::AddAt(const WorkKey& key, Time due, WorkLevel level) {
  if (active_.contains(key)) {
    const auto [it, added] = again_at_.try_emplace(key, due);
    if (!added && due < it->second) it->second = due;
    return;
  }
  if (due_level_.contains(key)) return;
  const auto [it, added] = waiting_.try_emplace(key, Waiting{.due = due, .level = level});
  if (!added) {
    if (it->second.due <= due) return;
    by_time_.erase({it->second.due, key});
    it->second = {.due = due, .level = level};
  }
  by_time_.insert({due, key});
}

std::optional<WorkKey> WorkQueue::TakeFirst(WorkLevel level) {
  std::deque<WorkKey>& row = level == WorkLevel::kNormal ? normal_ : backlog_;
  while (!row.empty()) {
    WorkKey key = std::move(row.front());
    row.pop_front();
    const auto it = due_level_.find(key);
    if (it == due_level_.end() || it->second != level) continue;
    due_level_.erase(it);
    return key;
  }
  return std::nullopt;
}

std::optional<WorkItem> WorkQueue::Pop(Time now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const WorkKey key = by_time_.begin()->second;
    MakeDue(key, waiting_.at(key).level);
  }
  std::optional<WorkKey> key;
  if (++since_backlog_ >= kBacklogShare) {
    since_backlog_ = 0;
    key = TakeFirst(WorkLevel::kBacklog);
  }
  if (!key) key = TakeFirst(WorkLevel::kNormal);
  if (!key) key = TakeFirst(WorkLevel::kBacklog);
  if (!key) return std::nullopt;
  WorkItem item{.key = *std::move(key)};
  active_.insert(item.key);
  item.nudged = nudged_.erase(item.key) > 0;
  return item;
}

void WorkQueue::Done(const WorkKey& key) {
  active_.erase(key);
  const auto at = again_at_.extract(key);
  if (again_.erase(key) > 0) {
    MakeDue(key, WorkLevel::kNormal);
  } else if (at) {
    AddAt(key, at.mapped());
  }
}

std::optional<Time> WorkQueue::NextDue() const {
  if (!due_level_.empty()) return Time::min();
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace asyncops::reconciler
