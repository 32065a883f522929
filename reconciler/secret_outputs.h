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
#include "reconciler/resource_client.h"
#include "reconciler/secret_values.h"

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

// An answer to be read.
struct AnswerContext {
  enum class Kind {
    kPassing,
    kStart,  // to a submit: it starts what is followed from here on
    kEnd,    // it ends the operation as succeeded
  };

  const AsyncOperation& operation;
  const Protocol& protocol;
  const OperationIdentity& identity;
  const Json* submit_response = nullptr;  // null: the answer is that
  Kind kind = Kind::kPassing;
  // Values that earlier answers showed; those of this one are added. Of an operation that
  // KnowsSecrets; null of others.
  SeenSecrets* seen = nullptr;
};

// What an answer gives; outputs of a final one alone.
struct TakenOutputs {
  Json outputs;
  std::vector<SecretOutput> secrets;
  Status written;         // whether the Secrets are
  bool redacted = false;  // something was taken out of the answer
};

// Whether anything is to be taken out of the answers: the operation has outputs that go into
// Secrets, or earlier ones of its resource had.
bool KnowsSecrets(const AsyncOperation& operation, const Protocol::Policy& policy);

// Takes the values for Secrets out of the answer: those of this answer and of earlier ones, those
// that stand in the operation's Secrets, and those that earlier operations of its resource wrote.
// Of a value that is an object or array each text within it is one. Of a final answer it reads the
// outputs, and writes the Secrets. To be called once it is known what the answer is, and before
// anything of it is stored; texts that were made of it before then are to be made anew.
//
// Of the answer that starts an operation, members by whose names the declaration reads
// submit.response keep parts of objects, which are what it goes on with; and outputs that are shown
// keep parts that are shorter than 8 bytes, which are words such as "admin" or "https".
TakenOutputs TakeOutputs(const AnswerContext& context, ResourceClient& resources,
                         FaultPoints& faults, ExternalAnswer* answer);

// The failure that was judged by the answer as it came, in the words of `stored`, which was judged
// by what is stored of it: its code and message.
Failure InStoredWords(Failure judged, const Failure& stored);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_OUTPUTS_H_
