// Follows the objects of one resource in the local store.
#ifndef ASYNCOPS_RECONCILER_OBJECT_WATCH_H_
#define ASYNCOPS_RECONCILER_OBJECT_WATCH_H_

#include <functional>
#include <memory>
#include <string>

#include "storage/store.h"

namespace asyncops::reconciler {

// `gone` says that the object was deleted; the record is then its last state.
using ObjectChanged = std::function<void(const storage::Record& record, bool gone)>;

// Calls `changed` for each object that there is, and then for each change, from a thread of its
// own; it must be quick. What happened while the log was compacted away is made up for by calling
// it for all objects again. Destroying the subscription ends the thread. The store outlives it.
// `first` selects those that it begins with.
std::unique_ptr<storage::Subscription> WatchObjects(storage::Store& store, std::string resource,
                                                    ObjectChanged changed,
                                                    FieldSelector first = {});

// Calls `seen` for each object of the resource in this namespace ("" for all) that the selector
// matches; the state at one revision, which is returned.
Result<storage::Revision> ForEachObject(const storage::Store& store, const std::string& resource,
                                        const std::string& namespace_name,
                                        const FieldSelector& fields,
                                        const std::function<void(const storage::Record&)>& seen);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OBJECT_WATCH_H_
