// AsyncResource: the declared thing outside the cluster. A plain value.
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_ASYNC_RESOURCE_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_ASYNC_RESOURCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/steps.h"
#include "api/meta/condition.h"
#include "api/meta/object_meta.h"

namespace asyncops {

// Held while the thing exists outside, or may.
inline constexpr std::string_view kResourceFinalizer = "asyncops.dev/external";

struct AsyncResourceSpec {
  std::optional<LocalObjectRef> external_system_ref;
  Json parameters;  // free-form
  std::optional<StepSpec> create;
  std::optional<StepSpec> update;
  std::optional<StepSpec> delete_step;  // `delete`
  std::optional<CancelSpec> cancel;
  std::vector<OutputSpec> outputs;
  std::optional<RetryPolicy> retry;
  std::vector<ErrorRule> error_rules;
  std::optional<Duration> active_deadline;  // 24h
  std::string deletion_policy;              // Delete | Orphan
  bool suspend = false;

  static const ObjectBinding<AsyncResourceSpec>& Binding();
  bool operator==(const AsyncResourceSpec&) const = default;
};

struct AsyncResourceStatus {
  std::string phase;  // "" | Creating | Updating | Deleting | Ready | Failed
  std::int64_t observed_generation = 0;
  std::int64_t retry_count = 0;
  std::optional<Time> next_attempt_time;
  std::string progress;
  Json outputs;  // object by name
  std::string last_async_operation_id;
  std::string external_system_url;
  std::optional<LocalObjectRef> current_operation_ref;
  std::vector<FailureDetail> failure_details;
  Conditions conditions;

  static const ObjectBinding<AsyncResourceStatus>& Binding();
  bool operator==(const AsyncResourceStatus&) const = default;
};

struct AsyncResource {
  ObjectMeta metadata;
  AsyncResourceSpec spec;
  AsyncResourceStatus status;

  static const ObjectBinding<AsyncResource>& Binding();
  bool operator==(const AsyncResource&) const = default;
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_ASYNC_RESOURCE_H_
