// The parts of a declaration that say how one external operation is started, followed and undone.
// Shared by AsyncResource (per create, update, delete) and AsyncOperation. Plain values; api docs
// are in the bindings. Strings that hold `${...}` are templates, those called `when` or `value` and
// the like are expressions (docs/expressions.md).
#ifndef ASYNCOPS_API_ASYNCOPS_V1ALPHA1_STEPS_H_
#define ASYNCOPS_API_ASYNCOPS_V1ALPHA1_STEPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace asyncops {

template <class T>
class ObjectBinding;

// The group of AsyncResource and ExternalSystem, and the prefix of our annotations and finalizers.
inline constexpr std::string_view kAsyncopsGroup = "asyncops.dev";
inline constexpr std::string_view kVersion = "v1alpha1";

struct SecretKeyRef {
  std::string name;
  std::string key;

  static const ObjectBinding<SecretKeyRef>& Binding();
  bool operator==(const SecretKeyRef&) const = default;
};

struct HeaderValueSource {
  std::optional<SecretKeyRef> secret_key_ref;

  static const ObjectBinding<HeaderValueSource>& Binding();
  bool operator==(const HeaderValueSource&) const = default;
};

// One of value (a template) and valueFrom.
struct HeaderSpec {
  std::string name;
  std::string value;
  std::optional<HeaderValueSource> value_from;

  static const ObjectBinding<HeaderSpec>& Binding();
  bool operator==(const HeaderSpec&) const = default;
};

// The call that starts the operation.
struct SubmitSpec {
  std::string method;  // "" means POST (DELETE in a delete step)
  // Template; joined to the endpoint's path, or an absolute URL of an allowed origin.
  std::string path;
  std::vector<HeaderSpec> headers;
  Json body;  // JSON whose strings are templates; null sends no body

  static const ObjectBinding<SubmitSpec>& Binding();
  bool operator==(const SubmitSpec&) const = default;
};

// What to read from the answer to the submit; a preset fills what is empty. Expressions.
struct OperationMapping {
  std::string id;
  std::string poll_url;
  std::string resource_id;
  std::string console_url;
  // Succeeded | Judged: what a success with nothing to poll means.
  std::string immediate;

  static const ObjectBinding<OperationMapping>& Binding();
  bool operator==(const OperationMapping&) const = default;
};

// An ordered rule: the first whose `when` is true decides the state.
struct Acceptor {
  std::string when;
  std::string state;  // Running | Succeeded | Failed | Canceled | NotFound | Unreadable

  static const ObjectBinding<Acceptor>& Binding();
  bool operator==(const Acceptor&) const = default;
};

struct ErrorMapping {
  std::string code;  // expressions
  std::string message;

  static const ObjectBinding<ErrorMapping>& Binding();
  bool operator==(const ErrorMapping&) const = default;
};

struct PollInterval {
  std::optional<Duration> initial;  // 5s where absent
  std::optional<Duration> max;      // 60s
  std::optional<double> factor;     // 1.5

  static const ObjectBinding<PollInterval>& Binding();
  bool operator==(const PollInterval&) const = default;
};

// Where the finished thing is read from.
struct ResultSource {
  std::string from;        // PollResponse | OriginalURL | Location | URL | Expression
  std::string url;         // template, with URL
  std::string expression;  // with Expression: the URL, or "" where the response holds the result

  static const ObjectBinding<ResultSource>& Binding();
  bool operator==(const ResultSource&) const = default;
};

// How to ask whether it is done; a preset fills what is empty.
struct PollSpec {
  std::string method;  // "" means GET
  std::string path;    // template; "" asks operation.pollURL
  std::vector<HeaderSpec> headers;
  Json body;             // as SubmitSpec's; it also sees submit.response
  std::string envelope;  // None | HTTP: the answer is a whole HTTP message
  std::vector<Acceptor> acceptors;
  std::string default_state;  // `default`: Running | Failed, where no acceptor matches
  std::optional<ErrorMapping> error;
  std::string progress;     // expression, 0 to 100
  std::string next_url;     // expression: where to ask from now on
  std::string retry_after;  // expression: when to ask again
  std::optional<PollInterval> interval;
  std::optional<ResultSource> result;

  static const ObjectBinding<PollSpec>& Binding();
  bool operator==(const PollSpec&) const = default;
};

// A call that finds out whether an ambiguous submit took effect.
struct LookupSpec {
  std::string method;  // "" means GET
  std::string path;    // template
  std::vector<HeaderSpec> headers;
  Json body;                       // as PollSpec's
  std::string found;               // expression, boolean
  std::string id;                  // expression: the operation's or thing's ID
  std::string poll_url;            // expression: where what was found is asked for
  std::optional<Duration> settle;  // a miss counts only this long after the last send; max(60s, 2 x
                                   // requestTimeout) where absent

  static const ObjectBinding<LookupSpec>& Binding();
  bool operator==(const LookupSpec&) const = default;
};

struct RecoverySpec {
  std::optional<LookupSpec> lookup;
  std::string on_unknown;  // Park (default) | Fail
  // Statuses that mean "exists already" after an ambiguous attempt.
  std::vector<std::int64_t> adopt_on;

  static const ObjectBinding<RecoverySpec>& Binding();
  bool operator==(const RecoverySpec&) const = default;
};

struct CancelSpec {
  std::string method;  // "" means POST
  std::string path;    // template
  std::vector<HeaderSpec> headers;
  Json body;                         // as PollSpec's
  std::vector<std::int64_t> accept;  // statuses that count as accepted, besides 2xx

  static const ObjectBinding<CancelSpec>& Binding();
  bool operator==(const CancelSpec&) const = default;
};

// Where the callback URL is put into the submit.
struct CallbackInjection {
  std::string in;       // Body | Header | Query
  std::string pointer;  // JSON Pointer, with Body
  std::string name;     // with Header and Query

  static const ObjectBinding<CallbackInjection>& Binding();
  bool operator==(const CallbackInjection&) const = default;
};

struct CallbackSpec {
  std::optional<CallbackInjection> inject;
  std::string correlate;  // expression over `event`: the operation's ID

  static const ObjectBinding<CallbackSpec>& Binding();
  bool operator==(const CallbackSpec&) const = default;
};

struct OutputSpec {
  std::string name;
  std::string value;  // expression
  std::optional<SecretKeyRef> to_secret;

  static const ObjectBinding<OutputSpec>& Binding();
  bool operator==(const OutputSpec&) const = default;
};

struct RetryTier {
  std::optional<std::int64_t> up_to;  // the last retry of this tier; absent in the last tier
  Duration delay{};
  std::optional<double> factor;
  std::optional<Duration> max;

  static const ObjectBinding<RetryTier>& Binding();
  bool operator==(const RetryTier&) const = default;
};

struct RetryPolicy {
  std::vector<RetryTier> tiers;       // empty: 1-3 10s, 4-6 1m, then 5m doubling to 1h
  std::optional<std::int64_t> limit;  // 0 or absent: no limit
  std::optional<double> jitter;       // 0.1
  std::string on_terminal;            // Stop (default) | Slow

  static const ObjectBinding<RetryPolicy>& Binding();
  bool operator==(const RetryPolicy&) const = default;
};

struct ErrorRule {
  std::string when;        // expression over response and error
  std::string class_name;  // `class`: Recoverable | Throttled | Terminal | Conflict
  std::optional<Duration> delay;

  static const ObjectBinding<ErrorRule>& Binding();
  bool operator==(const ErrorRule&) const = default;
};

// One of create, update, delete.
struct StepSpec {
  std::optional<SubmitSpec> submit;
  std::optional<OperationMapping> operation;
  std::optional<PollSpec> poll;
  std::optional<RecoverySpec> recovery;
  std::optional<CallbackSpec> callback;
  // Of a delete: statuses that mean it is gone already; 404 and 410 where empty.
  std::vector<std::int64_t> gone;

  static const ObjectBinding<StepSpec>& Binding();
  bool operator==(const StepSpec&) const = default;
};

// A failure as status shows it, newest first, at most kMaxFailureDetails.
struct FailureDetail {
  std::string code;
  std::string message;
  std::string class_name;  // `class`
  std::int64_t http_status = 0;
  std::int64_t attempt = 0;
  std::optional<Time> timestamp;

  static const ObjectBinding<FailureDetail>& Binding();
  bool operator==(const FailureDetail&) const = default;
};

struct LocalObjectRef {
  std::string name;

  static const ObjectBinding<LocalObjectRef>& Binding();
  bool operator==(const LocalObjectRef&) const = default;
};

}  // namespace asyncops

#endif  // ASYNCOPS_API_ASYNCOPS_V1ALPHA1_STEPS_H_
