// AsyncOperationHistory: what asyncoperations/NAME/history answers. Plain values.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_OPERATION_HISTORY_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_OPERATION_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace asyncops {

template <class T>
class ObjectBinding;

// One call outside, or one decision without a call. Never holds a credential.
struct AsyncOperationAttempt {
  std::int64_t sequence = 0;  // from 1
  std::int64_t submission = 0;
  std::optional<Time> time;
  std::string action;  // Intent | Submit | Poll | Lookup | Fetch | Cancel | Finish | ...
  std::string method;  // "" where no call was made
  std::string url;
  std::int64_t http_status = 0;  // 0 where no answer came
  std::string error_class;
  std::string message;
  std::string state;  // after it
  std::string next_step;
  std::optional<Time> next_attempt_time;
  std::int64_t shard = 0;
  std::int64_t owner_epoch = 0;

  static const ObjectBinding<AsyncOperationAttempt>& Binding();
  bool operator==(const AsyncOperationAttempt&) const = default;
};

// Of the operation, and how to go on.
struct AsyncOperationHistoryMeta {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string continue_token;

  static const ObjectBinding<AsyncOperationHistoryMeta>& Binding();
  bool operator==(const AsyncOperationHistoryMeta&) const = default;
};

struct AsyncOperationHistory {
  AsyncOperationHistoryMeta metadata;
  std::vector<AsyncOperationAttempt> items;  // oldest first

  static const ObjectBinding<AsyncOperationHistory>& Binding();
  bool operator==(const AsyncOperationHistory&) const = default;
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_OPERATION_HISTORY_H_
