#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<AsyncResourceSpec>& AsyncResourceSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncResourceSpec>(
          "dev.asyncops.v1alpha1.AsyncResourceSpec",
          "The thing outside, and how it is made, changed and deleted.")
          .Field(
              "externalSystemRef", &AsyncResourceSpec::external_system_ref,
              "The ExternalSystem that makes it. It cannot change once a call may have been made.",
              {.required = true})
          .Field("parameters", &AsyncResourceSpec::parameters,
                 "Free-form values of the thing, such as {size: 100Gi}; templates name them as "
                 "${spec.parameters.size}.")
          .Field("create", &AsyncResourceSpec::create, "How the thing is made.", {.required = true})
          .Field("update", &AsyncResourceSpec::update,
                 "How it is changed when parameters change. Where absent, changed parameters are "
                 "refused while the thing exists.")
          .Field("delete", &AsyncResourceSpec::delete_step,
                 "How it is deleted. Where absent, deleting this object leaves the thing behind.")
          .Field(
              "cancel", &AsyncResourceSpec::cancel,
              "How a running operation is cancelled when its activeDeadline has passed; it is left "
              "running where absent.")
          .Field("outputs", &AsyncResourceSpec::outputs,
                 "Values to keep from the finished operation, shown in status.outputs.",
                 {.max_items = 64})
          .Field("retry", &AsyncResourceSpec::retry,
                 "When failed calls are tried again; as the ExternalSystem says where absent.")
          .Field("errorRules", &AsyncResourceSpec::error_rules,
                 "Ordered rules that say which class an error is of, tried before those of the "
                 "ExternalSystem.",
                 {.max_items = 64})
          .Field("activeDeadline", &AsyncResourceSpec::active_deadline,
                 "How long one operation may take in all, such as 30m, before it fails with "
                 "DeadlineExceeded; 24h by default.",
                 {.default_value = "24h"})
          .Field(
              "deletionPolicy", &AsyncResourceSpec::deletion_policy,
              "When this object is deleted: Delete runs the delete step first, Orphan leaves the "
              "thing outside as it is. Delete by default.",
              {.default_value = "Delete", .enum_values = {"Delete", "Orphan"}})
          .Field("suspend", &AsyncResourceSpec::suspend,
                 "True makes no further calls until it is false again; a running operation goes on "
                 "outside. False where absent.");
  return kBinding;
}

const ObjectBinding<AsyncResourceStatus>& AsyncResourceStatus::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncResourceStatus>("dev.asyncops.v1alpha1.AsyncResourceStatus",
                                         "What was done and seen.")
          .Field(
              "phase", &AsyncResourceStatus::phase,
              "The summary: Creating, Updating, Deleting, Ready or Failed; empty before the first "
              "visit.",
              {.enum_values = {"", "Creating", "Updating", "Deleting", "Ready", "Failed"}})
          .Field("observedGeneration", &AsyncResourceStatus::observed_generation,
                 "The generation of the spec that this status speaks of.")
          .Field("retryCount", &AsyncResourceStatus::retry_count,
                 "Failures of the current operation since the last success.", {.always = true})
          .Field("nextAttemptTime", &AsyncResourceStatus::next_attempt_time,
                 "When the next call is due; absent where none is.")
          .Field("progress", &AsyncResourceStatus::progress,
                 "How far the operation is, such as 40%, as the system tells it.")
          .Field("outputs", &AsyncResourceStatus::outputs,
                 "The values of spec.outputs by name, of the last success.")
          .Field("lastAsyncOperationID", &AsyncResourceStatus::last_async_operation_id,
                 "The external system's ID of the last operation.")
          .Field("externalSystemURL", &AsyncResourceStatus::external_system_url,
                 "Where a person sees the operation outside.")
          .Field("currentOperationRef", &AsyncResourceStatus::current_operation_ref,
                 "The AsyncOperation in flight; absent where none is.")
          .Field("failureDetails", &AsyncResourceStatus::failure_details,
                 "The latest failures, newest first, at most 10; the rest is in the history of the "
                 "AsyncOperation.")
          .Field("conditions", &AsyncResourceStatus::conditions,
                 "Ready, AsyncOperation, AsyncOperationPending, AsyncOperationCompleted and "
                 "TerminalError; Throttled and DeletionBlocked when they apply.",
                 {.list_map_keys = {"type"}});
  return kBinding;
}

const ObjectBinding<AsyncResource>& AsyncResource::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncResource>("dev.asyncops.v1alpha1.AsyncResource",
                                   "A thing outside the cluster that is made, changed and deleted "
                                   "through long-running operations of an ExternalSystem.")
          .Constant("apiVersion", "asyncops.dev/v1alpha1",
                    "Group and version: asyncops.dev/v1alpha1.")
          .Constant("kind", "AsyncResource", "The kind: AsyncResource.")
          .Field("metadata", &AsyncResource::metadata, "Name, namespace, labels and the like.")
          .Field("spec", &AsyncResource::spec, "The thing, and how it is made and deleted.",
                 {.required = true})
          .Field("status", &AsyncResource::status, "What was done and seen; written by asyncops.");
  return kBinding;
}

}  // namespace asyncops
