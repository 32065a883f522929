#include "api/meta/field_error.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "api/meta/quote.h"
#include "base/limits.h"

namespace asyncops {
namespace {

struct TypeInfo {
  std::string_view cause;  // metav1.CauseType
  std::string_view text;
  bool shows_value;
};

TypeInfo Info(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::kRequired: return {"FieldValueRequired", "Required value", false};
    case FieldErrorType::kInvalid: return {"FieldValueInvalid", "Invalid value", true};
    case FieldErrorType::kNotSupported:
      return {"FieldValueNotSupported", "Unsupported value", true};
    case FieldErrorType::kForbidden: return {"FieldValueForbidden", "Forbidden", false};
    case FieldErrorType::kDuplicate: return {"FieldValueDuplicate", "Duplicate value", true};
    case FieldErrorType::kTooLong: return {"FieldValueTooLong", "Too long", false};
    case FieldErrorType::kTooMany: return {"FieldValueTooMany", "Too many", true};
    case FieldErrorType::kTypeInvalid: return {"FieldValueTypeInvalid", "Invalid value", true};
    case FieldErrorType::kNotFound: return {"FieldValueNotFound", "Not found", true};
  }
  return {};
}

// One error stands alone, several in brackets, each text once.
std::string Join(std::span<const FieldError> errors, std::size_t more) {
  std::set<std::string> seen;
  std::string out;
  for (const FieldError& error : errors) {
    std::string text = error.ToString();
    if (!seen.insert(text).second) continue;
    if (seen.size() > 1) out.append(", ");
    out.append(text);
  }
  if (more > 0) out.append(", and ").append(std::to_string(more)).append(" more");
  return seen.size() > 1 ? "[" + out + "]" : out;
}

}  // namespace

std::string FieldError::ToString() const { return path + ": " + Message(); }

std::string FieldError::Message() const {
  const TypeInfo info = Info(type);
  std::string out(info.text);
  if (info.shows_value && !bad_value.is_null()) {
    out.append(": ");
    out.append(bad_value.is_string() ? Quote(bad_value.as_string()) : EncodeJson(bad_value));
  }
  if (!detail.empty()) out.append(": ").append(detail);
  return out;
}

FieldError RequiredField(std::string path, std::string detail) {
  return {FieldErrorType::kRequired, std::move(path), {}, std::move(detail)};
}

FieldError InvalidField(std::string path, Json bad_value, std::string detail) {
  return {FieldErrorType::kInvalid, std::move(path), std::move(bad_value), std::move(detail)};
}

FieldError UnsupportedValue(std::string path, Json bad_value,
                            const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& value : supported) {
    detail.append(detail.empty() ? "supported values: " : ", ").append(Quote(value));
  }
  return {FieldErrorType::kNotSupported, std::move(path), std::move(bad_value), std::move(detail)};
}

FieldError ForbiddenField(std::string path, std::string detail) {
  return {FieldErrorType::kForbidden, std::move(path), {}, std::move(detail)};
}

FieldError DuplicateField(std::string path, Json bad_value) {
  return {FieldErrorType::kDuplicate, std::move(path), std::move(bad_value), ""};
}

FieldError TooLongField(std::string path, std::size_t max_bytes) {
  return {
      FieldErrorType::kTooLong,
      std::move(path),
      {},
      "may not be more than " + std::to_string(max_bytes) + (max_bytes == 1 ? " byte" : " bytes")};
}

FieldError TooManyItems(std::string path, std::size_t actual, std::size_t max_items) {
  return {FieldErrorType::kTooMany, std::move(path), actual,
          "must have at most " + std::to_string(max_items) + (max_items == 1 ? " item" : " items")};
}

std::string FieldPath(std::string_view parent, std::string_view name) {
  const bool is_key = name.find_first_of("./") != std::string_view::npos;
  std::string out(parent);
  if (is_key) return out.append("[").append(name).append("]");
  if (!out.empty()) out.push_back('.');
  return out.append(name);
}

std::string FieldPath(std::string_view parent, std::size_t index) {
  return std::string(parent).append("[").append(std::to_string(index)).append("]");
}

Status InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                     const FieldErrors& errors) {
  StatusDetails details;
  details.name = name;
  details.group = group;
  details.kind = kind;
  const std::span<const FieldError> reported =
      std::span(errors).first(std::min(errors.size(), kMaxReportedMistakes));
  for (const FieldError& error : reported) {
    details.causes.push_back({.reason = std::string(Info(error.type).cause),
                              .message = error.Message(),
                              .field = error.path});
  }
  std::string message(kind);
  if (!group.empty()) message.append(".").append(group);
  message.append(" ")
      .append(Quote(name))
      .append(" is invalid: ")
      .append(Join(reported, errors.size() - reported.size()));
  return Status(Reason::kInvalid, std::move(message)).WithDetails(std::move(details));
}

}  // namespace asyncops
