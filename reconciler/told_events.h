// Which Events were put into the outbox lately.
#ifndef ASYNCOPS_RECONCILER_TOLD_EVENTS_H_
#define ASYNCOPS_RECONCILER_TOLD_EVENTS_H_

#include <deque>
#include <set>
#include <string>

#include "base/mutex.h"

namespace asyncops::reconciler {

// A step that tells first and then fails (kube-apiserver is away) is taken again, for as long as
// that lasts: it is to tell once. Remembers the last 4096; forgotten with the process, and then
// delivered twice, which makes no second Event. Safe for use from several threads.
class ToldEvents {
 public:
  // By the message's dedup_name.
  bool Has(const std::string& name) const ASYNCOPS_EXCLUDES(mutex_);
  void Add(const std::string& name) ASYNCOPS_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::set<std::string> names_ ASYNCOPS_GUARDED_BY(mutex_);
  std::deque<std::string> order_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_TOLD_EVENTS_H_
