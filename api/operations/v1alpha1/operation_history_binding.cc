#include "api/operations/v1alpha1/operation_history.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<AsyncOperationAttempt>& AsyncOperationAttempt::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperationAttempt>(
          "dev.asyncops.operations.v1alpha1.AsyncOperationAttempt",
          "One call to the external system, or one decision without a call; never a credential.")
          .Field("sequence", &AsyncOperationAttempt::sequence, "Its place, from 1 without a gap.",
                 {.required = true})
          .Field("submission", &AsyncOperationAttempt::submission,
                 "Which submission of the operation it belongs to, from 1.", {.always = true})
          .Field("time", &AsyncOperationAttempt::time, "When it was.",
                 {.required = true, .format = StringFormat::kMicroTime})
          .Field("action", &AsyncOperationAttempt::action,
                 "What was done: Intent, Submit, Poll, Lookup, Fetch, Cancel, Finish and the like.",
                 {.required = true})
          .Field("method", &AsyncOperationAttempt::method,
                 "The method of the call; absent where none was made.")
          .Field("url", &AsyncOperationAttempt::url, "Where the call went.")
          .Field("httpStatus", &AsyncOperationAttempt::http_status,
                 "The status of the answer; absent where none came.")
          .Field("errorClass", &AsyncOperationAttempt::error_class,
                 "How it failed: Recoverable, Ambiguous, Throttled, Conflict or Terminal; absent "
                 "where it did not.")
          .Field("message", &AsyncOperationAttempt::message, "What happened, for people.")
          .Field("state", &AsyncOperationAttempt::state, "The operation's state after it.",
                 {.required = true})
          .Field("nextStep", &AsyncOperationAttempt::next_step, "What follows, for people.")
          .Field("nextAttemptTime", &AsyncOperationAttempt::next_attempt_time,
                 "When the next call is due.")
          .Field("shard", &AsyncOperationAttempt::shard, "The worker that made it.",
                 {.always = true})
          .Field("ownerEpoch", &AsyncOperationAttempt::owner_epoch,
                 "The run of the server that made it.", {.always = true});
  return kBinding;
}

const ObjectBinding<AsyncOperationHistoryMeta>& AsyncOperationHistoryMeta::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperationHistoryMeta>(
          "dev.asyncops.operations.v1alpha1.AsyncOperationHistoryMeta",
          "The operation whose history it is, and how to go on.")
          .Field("name", &AsyncOperationHistoryMeta::name, "The operation's name.")
          .Field("namespace", &AsyncOperationHistoryMeta::namespace_name,
                 "The operation's namespace.")
          .Field("uid", &AsyncOperationHistoryMeta::uid, "The operation's UID.")
          .Field("continue", &AsyncOperationHistoryMeta::continue_token,
                 "The token for the attempts that follow; absent where there are none.");
  return kBinding;
}

const ObjectBinding<AsyncOperationHistory>& AsyncOperationHistory::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperationHistory>("dev.asyncops.operations.v1alpha1.AsyncOperationHistory",
                                           "Every attempt of an AsyncOperation that is kept.")
          .Constant("apiVersion", "operations.asyncops.dev/v1alpha1",
                    "Group and version: operations.asyncops.dev/v1alpha1.")
          .Constant("kind", "AsyncOperationHistory", "The kind: AsyncOperationHistory.")
          .Field("metadata", &AsyncOperationHistory::metadata,
                 "The operation whose history it is, and how to go on.")
          .Field("items", &AsyncOperationHistory::items, "The attempts, oldest first.",
                 {.required = true});
  return kBinding;
}

}  // namespace asyncops
