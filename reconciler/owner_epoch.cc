#include "reconciler/owner_epoch.h"

#include <memory>
#include <string>

#include "api/meta/object.h"
#include "base/json.h"

namespace asyncops::reconciler {
namespace {

// Not served: no scheme knows it.
storage::ObjectKey OwnerKey() {
  return {.resource = "owners.internal.asyncops.dev", .namespace_name = "", .name = "reconciler"};
}

storage::ObjectVersion OwnerVersion() {
  const ObjectText text = EncodeObject(
      Json::Of({{"metadata", Json::Of({{"name", "reconciler"}, {"uid", "reconciler"}})}}));
  storage::ObjectVersion version;
  version.uid = "reconciler";
  version.encoded = {.json = text.json, .revision_at = text.revision_at};
  return version;
}

Status Compare(const Result<storage::Record>& owner, std::int64_t epoch) {
  if (!owner.ok()) return owner.status();
  if (owner->revision <= epoch) return Status::Ok();
  return {Reason::kServiceUnavailable, "another process has taken over the operations (epoch " +
                                           std::to_string(owner->revision) + "; ours is " +
                                           std::to_string(epoch) + ")"};
}

}  // namespace

Status CheckOwnership(storage::Transaction& transaction, std::int64_t epoch) {
  return epoch == 0 ? Status::Ok() : Compare(transaction.Get(OwnerKey()), epoch);
}

Status CheckOwnership(const storage::Store& store, std::int64_t epoch) {
  return epoch == 0 ? Status::Ok() : Compare(store.Get(OwnerKey()), epoch);
}

Result<std::int64_t> TakeOwnership(storage::Store& store) {
  // Shared with the writer's thread.
  const auto epoch = std::make_shared<std::int64_t>(0);
  const Status written =
      storage::WriteAndWait(store, [epoch](storage::Transaction& transaction) -> Status {
        Result<storage::Revision> revision = transaction.Update(OwnerKey(), 0, OwnerVersion());
        if (!revision.ok() && revision.status().reason() == Reason::kNotFound)
          revision = transaction.Create(OwnerKey(), OwnerVersion());
        if (!revision.ok()) return revision.status();
        *epoch = *revision;
        return Status::Ok();
      });
  if (!written.ok()) return written;
  return *epoch;
}

}  // namespace asyncops::reconciler
