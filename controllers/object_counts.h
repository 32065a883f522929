// How many objects of each resource are stored, for the metrics.
#ifndef ASYNCOPS_CONTROLLERS_OBJECT_COUNTS_H_
#define ASYNCOPS_CONTROLLERS_OBJECT_COUNTS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/store.h"

namespace asyncops::controllers {

// Counts the rows of one state page by page, and what came and went since: nobody counts rows for
// each look at the metrics. For one thread, but for CountOf.
class ObjectCounts {
 public:
  // The store outlives it.
  explicit ObjectCounts(const storage::Store& store);

  // Counts anew, from the state at this revision; Observe gets all changes after it.
  void Start(storage::Revision from);
  void Observe(const storage::Change& change);
  // Counts a page; false where all are counted.
  Result<bool> Work();

  // By GroupResource(); -1 until they are counted, as kube-apiserver says it, and of what is no
  // resource. From any thread.
  std::int64_t CountOf(std::string_view resource) const;

 private:
  struct Tally {
    std::string resource;
    std::int64_t rows = 0;     // of the state at `from_`, as far as it was counted
    std::int64_t changed = 0;  // since
    bool counted = false;
    std::atomic<std::int64_t> shown{-1};
  };
  static void Show(Tally* tally);

  const storage::Store& store_;
  std::vector<std::unique_ptr<Tally>> tallies_;  // as AllResources(); atomics do not move
  storage::Revision from_ = 0;
  std::size_t next_ = 0;  // the one that is being counted
  std::string after_namespace_;
  std::string after_name_;
};

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_OBJECT_COUNTS_H_
