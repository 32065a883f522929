#include "base/status.h"

#include <array>

namespace asyncops {
namespace {

struct ReasonInfo {
  std::string_view name;
  int code;
};

// Indexed by Reason.
constexpr std::array<ReasonInfo, 19> kReasons = {{
    {"", 200},
    {"BadRequest", 400},
    {"Unauthorized", 401},
    {"Forbidden", 403},
    {"NotFound", 404},
    {"MethodNotAllowed", 405},
    {"NotAcceptable", 406},
    {"AlreadyExists", 409},
    {"Conflict", 409},
    {"Gone", 410},
    {"Expired", 410},
    {"RequestEntityTooLarge", 413},
    {"UnsupportedMediaType", 415},
    {"Invalid", 422},
    {"TooManyRequests", 429},
    {"InternalError", 500},
    {"ServerTimeout", 500},
    {"ServiceUnavailable", 503},
    {"Timeout", 504},
}};

const ReasonInfo& Info(Reason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

// "asyncoperations.operations.asyncops.dev", or "events" for the core group.
std::string Qualified(std::string_view group, std::string_view resource) {
  std::string out(resource);
  if (!group.empty()) out.append(".").append(group);
  return out;
}

Status ForObject(Reason reason, std::string message, std::string_view group,
                 std::string_view resource, std::string_view name) {
  StatusDetails details;
  details.name = name;
  details.group = group;
  details.kind = resource;
  return Status(reason, std::move(message)).WithDetails(std::move(details));
}

}  // namespace

std::string_view ReasonName(Reason reason) { return Info(reason).name; }

int HttpCode(Reason reason) { return Info(reason).code; }

const StatusDetails& Status::details() const {
  static const StatusDetails kNone;
  return details_ ? *details_ : kNone;
}

Status Status::WithDetails(StatusDetails details) const& {
  Status copy = *this;
  copy.details_ = std::make_shared<const StatusDetails>(std::move(details));
  return copy;
}

Status Status::WithContext(std::string_view context) const& {
  if (ok()) return *this;
  Status copy = *this;
  copy.message_ = std::string(context) + ": " + message_;
  return copy;
}

Status Status::WithRetryAfter(int seconds) const& {
  StatusDetails copy = details();
  copy.retry_after_seconds = seconds;
  return WithDetails(std::move(copy));
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return std::string(ReasonName(reason_)) + ": " + message_;
}

bool Status::operator==(const Status& other) const {
  return reason_ == other.reason_ && message_ == other.message_ && details() == other.details();
}

Status InternalError(std::string_view message) {
  StatusDetails details;
  details.causes.push_back({.reason = "", .message = std::string(message), .field = ""});
  return Status(Reason::kInternalError, "Internal error occurred: " + std::string(message))
      .WithDetails(std::move(details));
}

Status NotFound(std::string_view group, std::string_view resource, std::string_view name) {
  return ForObject(Reason::kNotFound,
                   Qualified(group, resource) + " \"" + std::string(name) + "\" not found", group,
                   resource, name);
}

Status AlreadyExists(std::string_view group, std::string_view resource, std::string_view name) {
  return ForObject(Reason::kAlreadyExists,
                   Qualified(group, resource) + " \"" + std::string(name) + "\" already exists",
                   group, resource, name);
}

Status Conflict(std::string_view group, std::string_view resource, std::string_view name,
                std::string_view why) {
  return ForObject(Reason::kConflict,
                   "Operation cannot be fulfilled on " + Qualified(group, resource) + " \"" +
                       std::string(name) + "\": " + std::string(why),
                   group, resource, name);
}

}  // namespace asyncops
