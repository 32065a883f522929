#include "api/operations/v1alpha1/operation_action.h"
#include "api/schema/binding.h"

namespace asyncops {
namespace {

constexpr const char* kGroupVersion = "operations.asyncops.dev/v1alpha1";
constexpr const char* kGroupVersionText =
    "Group and version: operations.asyncops.dev/v1alpha1; may be left out.";
constexpr const char* kMetadataText =
    "The operation's name and namespace, as in the path; may be left out. With a uid or "
    "resourceVersion nothing is done to another operation, or to another state of it.";

}  // namespace

const ObjectBinding<AsyncOperationCancel>& AsyncOperationCancel::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperationCancel>("dev.asyncops.operations.v1alpha1.AsyncOperationCancel",
                                          "Asks for an AsyncOperation to be cancelled.")
          .Constant("apiVersion", kGroupVersion, kGroupVersionText)
          .Constant("kind", "AsyncOperationCancel",
                    "The kind: AsyncOperationCancel; may be left out.")
          .Field("metadata", &AsyncOperationCancel::metadata, kMetadataText);
  return kBinding;
}

const ObjectBinding<AsyncOperationRetry>& AsyncOperationRetry::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperationRetry>(
          "dev.asyncops.operations.v1alpha1.AsyncOperationRetry",
          "Asks for the next call of an AsyncOperation to be made now, its retries counted anew; "
          "of one that failed or was cancelled, for another submission.")
          .Constant("apiVersion", kGroupVersion, kGroupVersionText)
          .Constant("kind", "AsyncOperationRetry",
                    "The kind: AsyncOperationRetry; may be left out.")
          .Field("metadata", &AsyncOperationRetry::metadata, kMetadataText);
  return kBinding;
}

const ObjectBinding<AsyncOperationResolution>& AsyncOperationResolution::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperationResolution>(
          "dev.asyncops.operations.v1alpha1.AsyncOperationResolution",
          "Says what became of an AsyncOperation whose state is OutcomeUnknown: nobody but a "
          "person can know whether its submit took effect.")
          .Constant("apiVersion", kGroupVersion, kGroupVersionText)
          .Constant("kind", "AsyncOperationResolution",
                    "The kind: AsyncOperationResolution; may be left out.")
          .Field("metadata", &AsyncOperationResolution::metadata, kMetadataText)
          .Field("outcome", &AsyncOperationResolution::outcome,
                 "Retry where nothing runs outside: it is submitted again. Adopt where it runs as "
                 "operationID: that is followed to its end. Fail ends it as failed.",
                 {.required = true, .enum_values = {"Retry", "Adopt", "Fail"}})
          .Field("operationID", &AsyncOperationResolution::operation_id,
                 "With outcome: Adopt, the external system's ID of what runs there.",
                 {.max_length = 2048})
          .Field("force", &AsyncOperationResolution::force,
                 "With outcome: Adopt, follows that ID although another AsyncOperation of the same "
                 "ExternalSystem follows it already, which is refused otherwise.");
  return kBinding;
}

}  // namespace asyncops
