// The bodies that are posted to asyncoperations/NAME/{cancel,retry,resolve}, and what they ask of
// the operation. Plain values.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_OPERATION_ACTION_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_OPERATION_ACTION_H_

#include <string>

#include "api/meta/field_error.h"
#include "api/meta/object_meta.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops {

// Of each body `metadata` may be left out; a uid or resourceVersion in it must be the operation's.
struct AsyncOperationCancel {
  ObjectMeta metadata;

  static const ObjectBinding<AsyncOperationCancel>& Binding();
  bool operator==(const AsyncOperationCancel&) const = default;
};

struct AsyncOperationRetry {
  ObjectMeta metadata;

  static const ObjectBinding<AsyncOperationRetry>& Binding();
  bool operator==(const AsyncOperationRetry&) const = default;
};

// How the doubt about a parked operation ends.
struct AsyncOperationResolution {
  ObjectMeta metadata;
  std::string outcome;       // Retry | Adopt | Fail
  std::string operation_id;  // of Adopt alone
  bool force = false;        // of Adopt alone: although another operation follows that ID

  static const ObjectBinding<AsyncOperationResolution>& Binding();
  bool operator==(const AsyncOperationResolution&) const = default;
};

// What the structure does not say: Adopt needs an operationID, the others have none, nor force.
FieldErrors ValidateResolution(const AsyncOperationResolution& resolution);

// An action, as the annotation that the engine acts on.
struct OperationRequest {
  std::string annotation;
  std::string value;
  std::string user = {};  // who asks; "" where that is unknown

  bool operator==(const OperationRequest&) const = default;
};

// `subresource` is cancel, retry or resolve; `body` is one of those above, which its schema
// accepts. Times of requests are written as of `now`. Invalid for a mistake of meaning.
Result<OperationRequest> ReadOperationRequest(const std::string& subresource, const Json& body,
                                              Time now);

// The operation with the request in its annotations. Conflict where it has no use any more: of what
// is over, or where the doubt is to be resolved first, or where there is none.
Result<Json> RecordOperationRequest(const OperationRequest& request, Json operation);

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_OPERATION_ACTION_H_
