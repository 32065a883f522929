// The keys that one shard has to look at, and when.
#ifndef ASYNCOPS_RECONCILER_WORK_QUEUE_H_
#define ASYNCOPS_RECONCILER_WORK_QUEUE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"

namespace asyncops::reconciler {

// One object to reconcile.
struct WorkKey {
  enum class Kind { kResource, kOperation };
  Kind kind = Kind::kOperation;
  std::string namespace_name;
  std::string name;

  auto operator<=>(const WorkKey&) const = default;
};

struct WorkItem {
  WorkKey key;
  // Something that the object waits for has changed (a Secret, its ExternalSystem): what failed
  // without being sent need not wait for its retry time.
  bool nudged = false;

  bool operator==(const WorkItem&) const = default;
};

// The shard of a key: a stable hash of namespace and name, so that an object keeps its shard across
// restarts. `shards` is positive.
std::size_t ShardOf(const WorkKey& key, std::size_t shards);

// A key is in at most one place: waiting, due, or worked on; a key that is added while it is worked
// on is due again afterwards. Bounded by the number of objects. No thread and no clock of its own;
// not safe for use from several threads.
class WorkQueue {
 public:
  // Makes the key due, behind those that are.
  void Add(const WorkKey& key, bool nudged = false);
  // Makes it due at this time; an earlier time that it waits for, or being due, wins.
  void AddAt(const WorkKey& key, Time due);

  // Takes the next key that is due at `now`; nothing where there is none. Done must follow.
  std::optional<WorkItem> Pop(Time now);
  // The work on a popped key is over.
  void Done(const WorkKey& key);

  // When Pop has something next: a time that may have passed; nothing where no key waits.
  std::optional<Time> NextDue() const;
  // Keys that Pop could give.
  std::size_t due() const { return due_.size(); }
  // Keys due, waiting or worked on.
  std::size_t size() const { return due_set_.size() + waiting_.size() + active_.size(); }

 private:
  void MakeDue(const WorkKey& key);

  std::deque<WorkKey> due_;
  std::set<WorkKey> due_set_;
  std::map<WorkKey, Time> waiting_;
  std::set<std::pair<Time, WorkKey>> by_time_;
  std::set<WorkKey> active_;
  // Added while worked on.
  std::set<WorkKey> again_;
  std::map<WorkKey, Time> again_at_;
  std::set<WorkKey> nudged_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_WORK_QUEUE_H_
