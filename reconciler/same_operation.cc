#include "reconciler/same_operation.h"

#include <algorithm>

#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"

namespace asyncops::reconciler {
namespace {

// One that is found is enough; of many claims each is told by itself.
constexpr int kMaxClaims = 20;

std::string_view Field(const storage::ListRow& row, std::string_view name) {
  return storage::FindPair(row.fields, name);
}

bool IsSameResource(const storage::ListRow& row, const AsyncOperation& operation) {
  const std::string_view uid = Field(row, "spec.resourceRef.uid");
  return !uid.empty() && operation.spec.resource_ref && operation.spec.resource_ref->uid == uid;
}

// Whether an operation of any system in its namespace has this ID too; mostly none has.
Result<bool> IsTaken(const storage::Store& store, const AsyncOperation& operation,
                     const std::string& operation_id) {
  const auto rows =
      store.engine().FindByOperationId(operation.metadata.namespace_name, operation_id, 2);
  if (!rows.ok()) return rows.status();
  return std::ranges::any_of(*rows, [&operation](const storage::OperationRow& row) {
    return row.uid != operation.metadata.uid;
  });
}

}  // namespace

Result<std::optional<OtherOperation>> FindSameOperation(const storage::Store& store,
                                                        const AsyncOperation& operation,
                                                        const std::string& operation_id) {
  std::optional<OtherOperation> other;
  if (operation_id.empty() || !operation.spec.external_system_ref) return other;
  const Result<bool> taken = IsTaken(store, operation, operation_id);
  if (!taken.ok()) return taken.status();
  if (!*taken) return other;
  storage::ListQuery query;
  query.resource = OperationResource().GroupResource();
  query.namespace_name = operation.metadata.namespace_name;
  query.fields.requirements = {
      {.field = "status.operationID", .equal = true, .value = operation_id},
      {.field = "spec.externalSystemRef.name",
       .equal = true,
       .value = operation.spec.external_system_ref->name}};
  query.limit = kMaxClaims;
  query.parts = {.json = false, .values = true};
  const Result<storage::ListEnd> listed =
      store.ListRows(query, [&other, &operation](const storage::ListRow& row) {
        if (row.name == operation.metadata.name || IsSameResource(row, operation)) return true;
        const std::string_view state = Field(row, "status.state");
        const bool live = !state::IsFinal(state);
        if (!live && state != state::kSucceeded) return true;
        other = OtherOperation{.name = std::string(row.name), .live = live};
        return !live;
      });
  if (!listed.ok()) return listed.status();
  return other;
}

}  // namespace asyncops::reconciler
