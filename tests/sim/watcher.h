// A client that follows all changes of a resource, and holds the server to what a watch promises.
#ifndef ASYNCOPS_TESTS_SIM_WATCHER_H_
#define ASYNCOPS_TESTS_SIM_WATCHER_H_

#include <map>
#include <string>

#include "base/json.h"
#include "storage/store.h"
#include "tests/sim/journal.h"

namespace asyncops::sim {

// An object as the watcher saw it last, gone or not.
struct SeenObject {
  std::string uid;
  Json object;
  storage::Revision revision = 0;
  bool gone = false;
  int ends = 0;  // how often it came to an end (status.completionTime), of an AsyncOperation
};

// It outlives crashes: it goes on from its last resource version. For one thread.
class Watcher {
 public:
  // The journal outlives it.
  Watcher(std::string resource, Journal* journal)
      : resource_(std::move(resource)), journal_(*journal) {}

  // Reads what is new. Problems: a version that does not grow, a change of what was never added, a
  // history that is gone.
  void Follow(const storage::Store& store);
  // Problem: the present objects are others than those that the changes tell of.
  void CompareWithList(const storage::Store& store) const;

  // By uid.
  const std::map<std::string, SeenObject>& seen() const { return seen_; }

 private:
  void Take(const storage::Change& change);

  const std::string resource_;
  Journal& journal_;
  storage::Revision last_ = 1;
  std::map<std::string, SeenObject> seen_;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_WATCHER_H_
