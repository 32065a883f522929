// The append-only log of changes that watches read.
#ifndef ASYNCOPS_STORAGE_CHANGE_H_
#define ASYNCOPS_STORAGE_CHANGE_H_

#include <memory>
#include <optional>
#include <vector>

#include "storage/record.h"

namespace asyncops::storage {

enum class ChangeType { kAdded, kModified, kDeleted };

// One committed write. Immutable, shared by all watchers.
struct Change {
  ChangeType type = ChangeType::kAdded;
  // The state after the write; for kDeleted the last state, with the deletion's revision. Without
  // its summary where that is not at hand: of kDeleted, and of changes that are read from the disk.
  Record record;
  // What selectors saw before the write, so that a watcher can tell entering from leaving; nothing
  // for kAdded.
  std::optional<EncodedPairs> previous_labels;
  std::optional<EncodedPairs> previous_fields;
};

// Some consecutive changes of one resource.
struct ChangeBatch {
  std::vector<std::shared_ptr<const Change>> changes;  // by revision
  // Everything up to and including this revision has been looked at: where to go on. At least the
  // `after` that was asked.
  Revision through = 0;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_CHANGE_H_
