// The one error type of the project: a Kubernetes Status as a value, and Result<T>, which holds
// either a T or such a Status. Reasons are the closed set of metav1.StatusReason
// (apimachinery pkg/apis/meta/v1/types.go); an expected outcome is never an exception.
#ifndef ASYNCOPS_BASE_STATUS_H_
#define ASYNCOPS_BASE_STATUS_H_

#include <cassert>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace asyncops {

enum class Reason {
  kOk,
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kNotAcceptable,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternalError,
  kServerTimeout,
  kServiceUnavailable,
  kTimeout,
};

// "NotFound" for kNotFound, and so on; "" for kOk.
std::string_view ReasonName(Reason reason);

// The HTTP status code that Kubernetes gives the reason; 200 for kOk.
int HttpCode(Reason reason);

struct StatusCause {
  std::string reason;  // "FieldValueInvalid", "FieldManagerConflict", ...
  std::string message;
  std::string field;  // JSON path such as "spec.create.poll.acceptors[1].when", or ""

  bool operator==(const StatusCause&) const = default;
};

// metav1.StatusDetails. `kind` holds the plural resource for 403, 404, 405 and 409, the Kind for
// 422.
struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;

  bool operator==(const StatusDetails&) const = default;
};

// An outcome: OK, or a failure with its reason and a message for people. A value: cheap to copy
// when OK, immutable details shared when not. Messages never carry a secret.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Reason reason, std::string message) : reason_(reason), message_(std::move(message)) {}

  static Status Ok() { return Status(); }

  bool ok() const { return reason_ == Reason::kOk; }
  Reason reason() const { return reason_; }
  const std::string& message() const { return message_; }
  // Empty details where none were given.
  const StatusDetails& details() const;

  // The same failure with these details.
  Status WithDetails(StatusDetails details) const&;
  // The same failure, its message prefixed as "context: message". OK stays OK.
  Status WithContext(std::string_view context) const&;
  // The same failure, asking the client to come back after this many seconds (sets Retry-After).
  Status WithRetryAfter(int seconds) const&;

  // "NotFound: asyncoperations.operations.asyncops.dev \"x\" not found", or "OK"; for logs and
  // tests.
  std::string ToString() const;

  bool operator==(const Status& other) const;

 private:
  Reason reason_ = Reason::kOk;
  std::string message_;
  std::shared_ptr<const StatusDetails> details_;
};

inline Status BadRequest(std::string message) { return {Reason::kBadRequest, std::move(message)}; }
// 500 with the message that apiserver gives: "Internal error occurred: ...".
Status InternalError(std::string_view message);
// The messages and details that kube-apiserver gives for one object of a resource
// ("asyncoperations", "operations.asyncops.dev"); group "" is the core group.
Status NotFound(std::string_view group, std::string_view resource, std::string_view name);
Status AlreadyExists(std::string_view group, std::string_view resource, std::string_view name);
// 409; `why` is the part after `Operation cannot be fulfilled on RESOURCE "NAME": `.
Status Conflict(std::string_view group, std::string_view resource, std::string_view name,
                std::string_view why);
// The sentence of a stale resourceVersion, for Conflict.
inline constexpr std::string_view kObjectModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// A T, or the Status that says why there is none (never an OK one). Dropping it is a warning.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: they read as `return value;` and `return status;`.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(state_).ok());
  }
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // OK, or the failure.
  Status status() const { return ok() ? Status::Ok() : std::get<1>(state_); }

  // The value; ok() must hold. Of a temporary it comes by value, so that `for (x : *Call())` holds
  // what it walks over.
  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T value() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace asyncops

// Leaves the function with the failure of a Status or Result expression.
#define ASYNCOPS_RETURN_IF_ERROR(expression)                                \
  do {                                                                      \
    if (auto asyncops_status_ = ::asyncops::internal::ToStatus(expression); \
        !asyncops_status_.ok())                                             \
      return asyncops_status_;                                              \
  } while (false)

namespace asyncops::internal {
inline Status ToStatus(Status status) { return status; }
template <class T>
Status ToStatus(const Result<T>& result) {
  return result.status();
}
}  // namespace asyncops::internal

#endif  // ASYNCOPS_BASE_STATUS_H_
