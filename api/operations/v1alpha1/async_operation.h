// AsyncOperation: one create, update, delete or action against an external system. A plain value.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_ASYNC_OPERATION_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_ASYNC_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/steps.h"
#include "api/meta/condition.h"
#include "api/meta/object_meta.h"

namespace asyncops {

inline constexpr std::string_view kOperationsGroup = "operations.asyncops.dev";
inline constexpr std::string_view kAsyncOperations = "asyncoperations";  // the resource's name

// status.phase: the summary.
namespace phase {
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kCanceled = "Canceled";
}  // namespace phase

// Any kind; all fields optional but name.
struct ResourceRef {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  static const ObjectBinding<ResourceRef>& Binding();
  bool operator==(const ResourceRef&) const = default;
};

// What `metadata` and `outputs` mean in the operation's expressions: those of the resource that
// made it, as they were at that generation. Absent in an operation that stands for itself (then its
// own metadata is meant).
struct OperationContext {
  Json metadata;  // {name, namespace, uid, generation, labels, annotations}
  Json outputs;   // by name

  static const ObjectBinding<OperationContext>& Binding();
  bool operator==(const OperationContext&) const = default;
};

// Immutable after creation but for suspend, ttl_after_finished and active_deadline.
struct AsyncOperationSpec {
  std::string type;  // Create | Update | Delete | Action
  std::optional<ResourceRef> resource_ref;
  std::optional<LocalObjectRef> external_system_ref;
  Json parameters;  // free-form
  std::optional<OperationContext> context;
  std::optional<SubmitSpec> submit;
  std::optional<OperationMapping> operation;
  std::optional<PollSpec> poll;
  std::optional<RecoverySpec> recovery;
  std::optional<CancelSpec> cancel;
  std::optional<CallbackSpec> callback;
  std::vector<std::int64_t> gone;  // of a Delete
  std::vector<OutputSpec> outputs;
  std::optional<RetryPolicy> retry;
  std::vector<ErrorRule> error_rules;
  std::optional<Duration> active_deadline;     // 24h
  std::optional<Duration> ttl_after_finished;  // absent: kept
  bool suspend = false;

  static const ObjectBinding<AsyncOperationSpec>& Binding();
  bool operator==(const AsyncOperationSpec&) const = default;
};

struct AsyncOperationStatus {
  std::string phase;  // Pending | Running | Succeeded | Failed | Canceled
  std::string state;  // Pending | Intent | Submitted | Running | Fetching | Backoff | Recovering |
                      // OutcomeUnknown | Canceling | Succeeded | Failed | Canceled
  std::int64_t observed_generation = 0;
  std::string operation_id;
  std::string external_system_url;
  std::string poll_url;
  std::string correlation_id;
  std::int64_t submission = 0;
  std::int64_t attempt = 0;
  std::int64_t retry_count = 0;
  std::optional<Time> next_attempt_time;
  std::optional<Time> start_time;
  std::optional<Time> last_poll_time;
  std::optional<Time> completion_time;
  std::string progress;
  Json outputs;
  std::vector<FailureDetail> failure_details;
  Conditions conditions;

  static const ObjectBinding<AsyncOperationStatus>& Binding();
  bool operator==(const AsyncOperationStatus&) const = default;
};

struct AsyncOperation {
  ObjectMeta metadata;
  AsyncOperationSpec spec;
  AsyncOperationStatus status;

  static const ObjectBinding<AsyncOperation>& Binding();
  bool operator==(const AsyncOperation&) const = default;
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_ASYNC_OPERATION_H_
