#include "api/operations/v1alpha1/async_operation.h"
#include "api/schema/binding.h"

namespace asyncops {
namespace {

using StatusBinding = ObjectBinding<AsyncOperationStatus>;

StatusBinding SummaryFields() {
  return StatusBinding("dev.asyncops.operations.v1alpha1.AsyncOperationStatus",
                       "What was done and seen.")
      .Field("phase", &AsyncOperationStatus::phase,
             "The summary: Pending, Running, Succeeded, Failed or Canceled.",
             {.enum_values = {"", "Pending", "Running", "Succeeded", "Failed", "Canceled"}})
      .Field(
          "state", &AsyncOperationStatus::state,
          "Where exactly it stands. OutcomeUnknown waits for a person: it is unknown whether the "
          "submit took effect.",
          {.enum_values = {"", "Pending", "Intent", "Submitted", "Running", "Fetching", "Backoff",
                           "Recovering", "OutcomeUnknown", "Canceling", "Succeeded", "Failed",
                           "Canceled"}})
      .Field("observedGeneration", &AsyncOperationStatus::observed_generation,
             "The generation of the spec that this status speaks of.")
      .Field("operationID", &AsyncOperationStatus::operation_id,
             "The external system's ID of the operation.")
      .Field("externalSystemURL", &AsyncOperationStatus::external_system_url,
             "Where a person sees the operation outside.")
      .Field("pollURL", &AsyncOperationStatus::poll_url, "The URL that is polled.")
      .Field("correlationID", &AsyncOperationStatus::correlation_id,
             "Our ID of the submission, sent along: search for it outside.")
      .Field("submission", &AsyncOperationStatus::submission,
             "Number of the intent to start it, from 1; each has its own idempotency key.")
      .Field("attempt", &AsyncOperationStatus::attempt, "Calls of this submission so far.");
}

}  // namespace

const StatusBinding& AsyncOperationStatus::Binding() {
  static const auto kBinding =
      SummaryFields()
          .Field("retryCount", &AsyncOperationStatus::retry_count,
                 "Failures since the last success or since a retry was asked for.")
          .Field("nextAttemptTime", &AsyncOperationStatus::next_attempt_time,
                 "When the next call is due; absent where none is.")
          .Field("startTime", &AsyncOperationStatus::start_time, "When the first call was made.")
          .Field("lastPollTime", &AsyncOperationStatus::last_poll_time,
                 "When the system was last asked.")
          .Field("completionTime", &AsyncOperationStatus::completion_time,
                 "When it ended; absent while it has not.")
          .Field("progress", &AsyncOperationStatus::progress,
                 "How far it is, such as 40%, as the system tells it.")
          .Field("outputs", &AsyncOperationStatus::outputs,
                 "The values of spec.outputs by name, once it has succeeded.")
          .Field("failureDetails", &AsyncOperationStatus::failure_details,
                 "The latest failures, newest first, at most 10; the rest is in the history.")
          .Field("conditions", &AsyncOperationStatus::conditions,
                 "Ready, AsyncOperation, AsyncOperationPending, AsyncOperationCompleted and "
                 "TerminalError; Throttled when it applies.",
                 {.list_map_keys = {"type"}});
  return kBinding;
}

}  // namespace asyncops
