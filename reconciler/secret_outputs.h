// Outputs that go into Secrets: taken from an answer, kept out of all that is stored of it, and
// written before the operation is Succeeded.
#ifndef ASYNCOPS_RECONCILER_SECRET_OUTPUTS_H_
#define ASYNCOPS_RECONCILER_SECRET_OUTPUTS_H_

#include <string>
#include <vector>

#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/external_client.h"
#include "reconciler/fault_points.h"
#include "reconciler/protocol.h"
#include "reconciler/redact.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// The reason in Events and conditions for a Secret that could not be written.
inline constexpr std::string_view kSecretNotWritten = "SecretNotWritten";

// Whose the Secrets of an operation are: the AsyncResource that made it, else its own.
OwnerReference SecretOwnerOf(const AsyncOperation& operation);

// Whether the Secrets that the operation will write to may be written to now: asked before it is
// submitted, so that nothing is made outside whose password could not be kept.
Status CheckSecrets(const AsyncOperation& operation, const Protocol::Policy& policy,
                    ResourceClient& resources);

// Writes the values; several into one Secret at once. Idempotent. The first failure, naming the
// Secret and no value.
Status WriteSecrets(const AsyncOperation& operation, const std::vector<SecretOutput>& outputs,
                    ResourceClient& resources);

// Knows the values of one operation: those of this answer and of earlier ones, and those in its
// Secrets, which an answer may repeat long after. `is_final`: the answer ends the operation, so
// that a value may be a whole object, whose parts are then no one's business either; before that
// only texts are looked for, since an object may hold the IDs that the operation goes on with.
class OutputRedactor {
 public:
  OutputRedactor(const AsyncOperation& operation, const Protocol::Policy& policy,
                 const std::vector<SecretOutput>& outputs, bool is_final,
                 const std::vector<std::string>& seen, ResourceClient& resources);

  void Redact(ExternalAnswer* answer) const;

 private:
  const bool needed_;
  const Redactor redactor_;
};

// An answer to be read.
struct AnswerContext {
  const AsyncOperation& operation;
  const Protocol& protocol;
  const OperationIdentity& identity;
  const Json* submit_response = nullptr;  // null: the answer is that
  bool is_final = false;                  // it ends the operation as succeeded
  // Values that earlier answers showed; those of this one are added.
  std::vector<std::string>* seen = nullptr;
};

// What an answer gives; outputs of a final one alone.
struct TakenOutputs {
  Json outputs;
  std::vector<SecretOutput> secrets;
  Status written;  // whether the Secrets are
};

// Takes the values for Secrets out of the answer; of a final one it reads the outputs, and writes
// the Secrets. To be called once it is known whether the answer is final, and before anything of it
// is stored; texts that were made of it before then are to be made anew.
TakenOutputs TakeOutputs(const AnswerContext& context, ResourceClient& resources,
                         FaultPoints& faults, ExternalAnswer* answer);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_OUTPUTS_H_
