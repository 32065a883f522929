#include "reconciler/work_queue.h"

#include <utility>

#include "base/crypto.h"

namespace asyncops::reconciler {

std::size_t ShardOf(const WorkKey& key, std::size_t shards) {
  return static_cast<std::size_t>(StableHash(key.namespace_name + "/" + key.name) % shards);
}

void WorkQueue::MakeDue(const WorkKey& key) {
  if (const auto it = waiting_.find(key); it != waiting_.end()) {
    by_time_.erase({it->second, key});
    waiting_.erase(it);
  }
  if (due_set_.insert(key).second) due_.push_back(key);
}

void WorkQueue::Add(const WorkKey& key, bool nudged) {
  if (nudged) nudged_.insert(key);
  if (active_.contains(key)) {
    again_.insert(key);
  } else {
    MakeDue(key);
  }
}

void WorkQueue::AddAt(const WorkKey& key, Time due) {
  if (active_.contains(key)) {
    const auto [it, added] = again_at_.try_emplace(key, due);
    if (!added && due < it->second) it->second = due;
    return;
  }
  if (due_set_.contains(key)) return;
  const auto [it, added] = waiting_.try_emplace(key, due);
  if (!added) {
    if (it->second <= due) return;
    by_time_.erase({it->second, key});
    it->second = due;
  }
  by_time_.insert({due, key});
}

std::optional<WorkItem> WorkQueue::Pop(Time now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const WorkKey key = by_time_.begin()->second;
    MakeDue(key);
  }
  if (due_.empty()) return std::nullopt;
  WorkItem item{.key = std::move(due_.front())};
  due_.pop_front();
  due_set_.erase(item.key);
  active_.insert(item.key);
  item.nudged = nudged_.erase(item.key) > 0;
  return item;
}

void WorkQueue::Done(const WorkKey& key) {
  active_.erase(key);
  const auto at = again_at_.extract(key);
  if (again_.erase(key) > 0) {
    MakeDue(key);
  } else if (at) {
    AddAt(key, at.mapped());
  }
}

std::optional<Time> WorkQueue::NextDue() const {
  if (!due_.empty()) return Time::min();
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace asyncops::reconciler
