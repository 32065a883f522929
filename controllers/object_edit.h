// Changes of stored objects, each computed from the state that stands when it is written.
#ifndef ASYNCOPS_CONTROLLERS_OBJECT_EDIT_H_
#define ASYNCOPS_CONTROLLERS_OBJECT_EDIT_H_

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "api/meta/deletion.h"
#include "api/scheme.h"
#include "base/clock.h"
#include "base/json.h"
#include "storage/store.h"

namespace asyncops::controllers {

// Objects in one transaction of ours: few enough that a user's write behind it does not notice.
inline constexpr int kEditBatch = 50;

// Whose the controllers' writes are in managedFields.
inline constexpr std::string_view kControllerManager = "asyncops-controllers";

enum class Edit {
  kKeep,
  kUpdate,  // the object as it was edited is stored
  kRemove,  // it goes, watchers get it as it was edited
};

// What stores the step of a deletion.
Edit EditOf(DeletionStep step);

// Edits one object. May run several times, on the thread that called EditObjects.
using EditFunction = std::function<Edit(const storage::ObjectKey& key, Json* object)>;

// Applies `edit` to each of these objects, kEditBatch at a time; again where somebody else wrote
// one meanwhile. What is gone, or damaged, is passed over. OK: everything is durable. The failure
// of a write leaves those of earlier batches done. Waits for the writer: not for its thread.
// What they change is kControllerManager's in managedFields, as of `now`.
Status EditObjects(storage::Store& store, Time now, const std::vector<storage::ObjectKey>& keys,
                   const EditFunction& edit);
Status EditObject(storage::Store& store, Time now, const storage::ObjectKey& key,
                  const EditFunction& edit);

// An object of nothing but the record's metadata: what most decisions need, for a tenth of the
// cost.
Json MetadataOf(const storage::Record& record);
// The same, read; nothing where the object is gone.
Result<std::optional<Json>> ReadMetadata(const storage::Store& store,
                                         const storage::ObjectKey& key);

// The resource that a key names; null for one that this binary does not know.
const ResourceInfo* ResourceOf(const storage::ObjectKey& key);

// Calls `page` with each page of the rows that the query finds, each as of now, until there are
// none or it returns false.
using PageFunction = std::function<Result<bool>(const std::vector<storage::Record>& rows)>;
Status ForEachPage(const storage::Store& store, storage::ListQuery query, const PageFunction& page);

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_CONTROLLERS_OBJECT_EDIT_H_
