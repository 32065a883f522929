// How one operation is started, followed and undone on one external system: a declaration with its
// preset filled in, compiled. Pure: requests out, verdicts about answers back; it neither calls nor
// stores anything.
#ifndef ASYNCOPS_RECONCILER_PROTOCOL_H_
#define ASYNCOPS_RECONCILER_PROTOCOL_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/external_system.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/external_client.h"
#include "reconciler/rendered_request.h"

namespace asyncops::reconciler {

// What a failed call means for what comes next; ClassifySubmit says which is which.
enum class ErrorClass { kRecoverable, kThrottled, kAmbiguous, kConflict, kTerminal };
// "Recoverable" and so on.
std::string_view ErrorClassName(ErrorClass error_class);

struct Failure {
  ErrorClass error_class = ErrorClass::kRecoverable;
  // CamelCase: the system's own error code, or "HTTP503", "ConnectionRefused", ...
  std::string code;
  // Redacted, normalised (no request IDs, times, pointers), at most kMaxMessageBytes.
  std::string message;
  int http_status = 0;
  // Wait at least this long: Retry-After, or what its class asks.
  std::optional<Duration> delay = {};
  // Of an error rule: wait this long, in place of what would be waited otherwise.
  std::optional<Duration> instead = {};

  bool operator==(const Failure&) const = default;
};

// What expressions know as `operation`.
struct OperationIdentity {
  std::string id;
  std::string poll_url;
  std::string resource_id;
  std::string correlation_id;
  std::string idempotency_key;
  int submission = 1;
  int attempt = 0;
  std::optional<Time> start_time;
  std::string callback_url = {};  // where the submit asks to be called back; "" for nowhere
};

struct SubmitVerdict {
  enum class Outcome {
    kAccepted,   // started: poll it
    kSucceeded,  // done at once
    kFailed,     // see failure; kAmbiguous means that it may have started
  };
  Outcome outcome = Outcome::kFailed;
  std::string operation_id;
  std::string poll_url;  // absolute
  std::string resource_id;
  std::string console_url;
  std::optional<Duration> poll_after;  // the system's hint
  Failure failure;
};

struct PollVerdict {
  enum class Outcome {
    kRunning,
    kSucceeded,
    kFailed,  // the operation failed outside; see failure
    kCanceled,
    kNotFound,    // the system does not know the operation
    kUnreadable,  // this poll failed, which says nothing of the operation; see failure
  };
  Outcome outcome = Outcome::kUnreadable;
  std::string progress;     // "" where unknown
  std::string poll_url;     // where it moved; "" where not
  std::string resource_id;  // "" where this answer does not name it
  std::string console_url;
  std::optional<Duration> poll_after;
  // Of kSucceeded: the result is to be fetched from here first; nothing where the answer holds it.
  std::optional<RenderedRequest> fetch;
  Failure failure;
};

struct LookupVerdict {
  enum class Outcome { kFound, kMissing, kUnreadable };
  Outcome outcome = Outcome::kUnreadable;
  std::string operation_id;  // of kFound: what `id` gave
  std::string poll_url;      // of kFound: absolute; "" where the answer does not tell it
  Failure failure;           // of kUnreadable
};

// A declared output that goes into a Secret: never logged, never stored elsewhere.
struct SecretOutput {
  SecretKeyRef target;
  Json value;

  // As the Secret keeps it: a text as it is, anything else as JSON.
  std::string Text() const { return value.is_string() ? value.as_string() : EncodeJson(value); }
};

// How long an operation may take in all where spec.activeDeadline does not say.
inline constexpr std::chrono::hours kActiveDeadline{24};

// Immutable; safe for use from several threads.
class Protocol {
 public:
  virtual ~Protocol() = default;

  // The request that starts it: idempotency key and correlation ID are in it where the system takes
  // them. Invalid where a template has no value, naming the expression.
  virtual Result<RenderedRequest> RenderSubmit(const OperationIdentity& operation) const = 0;
  // `submit_response` is {status, headers, body} of the answer to the submit.
  virtual Result<RenderedRequest> RenderPoll(const OperationIdentity& operation,
                                             const Json& submit_response) const = 0;
  // Nothing where the declaration has no look-up, or no cancel.
  virtual std::optional<Result<RenderedRequest>> RenderLookup(
      const OperationIdentity& operation) const = 0;
  virtual std::optional<Result<RenderedRequest>> RenderCancel(
      const OperationIdentity& operation, const Json& submit_response) const = 0;

  virtual SubmitVerdict JudgeSubmit(const ExternalAnswer& answer,
                                    const OperationIdentity& operation) const = 0;
  virtual PollVerdict JudgePoll(const ExternalAnswer& answer, const OperationIdentity& operation,
                                const Json& submit_response) const = 0;
  // What an event that was pushed tells of the operation, by the acceptors of its poll; `data` is
  // their response.body, and there is no status. Nothing where no acceptor speaks of it.
  virtual std::optional<PollVerdict> JudgeEvent(const Json& data,
                                                const OperationIdentity& operation,
                                                const Json& submit_response) const = 0;
  virtual LookupVerdict JudgeLookup(const ExternalAnswer& answer,
                                    const OperationIdentity& operation) const = 0;
  // OK where the system took the cancel (2xx, 404, and what `accept` lists).
  virtual Status JudgeCancel(const ExternalAnswer& answer) const = 0;
  // The declared outputs that this final answer has, by name; one without a value is left out, and
  // so are those that go into Secrets.
  virtual Json Outputs(const ExternalAnswer& answer, const OperationIdentity& operation,
                       const Json& submit_response) const = 0;
  // Those that go into Secrets, likewise.
  virtual std::vector<SecretOutput> SecretOutputs(const ExternalAnswer& answer,
                                                  const OperationIdentity& operation,
                                                  const Json& submit_response) const = 0;

  // Policy, defaults filled in.
  struct Policy {
    bool sends_key = false;  // the system takes an idempotency key
    Duration key_ttl{};
    bool has_lookup = false;
    Duration lookup_settle{};
    bool park_on_unknown = true;  // else fail
    std::vector<std::int64_t> adopt_on;
    Duration poll_initial{};
    Duration poll_max{};
    double poll_factor = 1.5;
    RetryPolicy retry;              // tiers never empty
    bool slow_on_terminal = false;  // retry.onTerminal: Slow
    Duration active_deadline{};
    Duration request_timeout{};
    bool asks_callback = false;                // the submit carries a URL to call back
    bool trusts_callbacks = false;             // a signed callback may end the operation
    std::vector<SecretKeyRef> secret_targets;  // of the outputs that go into Secrets
    // Words of what reads submit.response; the names of the members that it reads are among them.
    std::vector<std::string> read_on;
  };
  virtual const Policy& policy() const = 0;
};

// Fills in the preset and compiles. Invalid where an expression or template does not compile (the
// webhook refuses these; an object that came another way fails with this message).
Result<std::shared_ptr<const Protocol>> CompileProtocol(const ExternalSystem& system,
                                                        const AsyncOperation& operation);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_PROTOCOL_H_
