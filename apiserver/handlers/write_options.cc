#include "apiserver/handlers/write_options.h"

#include <utility>

#include "api/meta/field_error.h"
#include "api/meta/quote.h"
#include "apiserver/handlers/body.h"
#include "apiserver/handlers/media_type.h"
#include "apiserver/handlers/request_info.h"
#include "base/ascii.h"
#include "base/limits.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kDeleteOptionsAt = "DeleteOptions.";

Status InvalidOption(std::string_view kind, const FieldErrors& errors) {
  return InvalidObject("meta.k8s.io", kind, "", errors);
}

// Every value of dryRun must be "All".
Result<bool> DryRunOf(const std::vector<std::string_view>& values, std::string_view kind) {
  std::string shown;
  bool supported = true;
  for (const std::string_view value : values) {
    shown.append(shown.empty() ? "" : ", ").append(Quote(value));
    supported = supported && value == "All";
  }
  if (supported) return !values.empty();
  // As Go shows a list.
  FieldError error = UnsupportedValue("dryRun", Json(), {"All"});
  error.detail = "[]string{" + shown + "}: " + error.detail;
  return InvalidOption(kind, {std::move(error)});
}

std::string_view OptionsKind(std::string_view verb) {
  if (verb == "create") return "CreateOptions";
  return verb == "update" ? "UpdateOptions" : "PatchOptions";
}

// Go's %#U of a character that cannot be printed.
std::string CodePoint(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned char>(c);
  return std::string("U+00") + kDigits[code >> 4U] + kDigits[code & 15U];
}

FieldErrors CheckFieldManager(std::string_view manager) {
  if (manager.size() > kMaxFieldManagerBytes)
    return {TooLongField("fieldManager", kMaxFieldManagerBytes)};
  FieldErrors errors;
  for (std::size_t i = 0; i < manager.size(); ++i) {
    const char c = manager[i];
    // Bytes of UTF-8 beyond ASCII are let through: most of what they spell is printable.
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) continue;
    errors.push_back(InvalidField(
        "fieldManager", manager,
        "invalid character " + CodePoint(c) + " (at position " + std::to_string(i) + ")"));
  }
  return errors;
}

bool IsApply(const http::Request& request) {
  return ParseMediaType(request.headers.Get("Content-Type")).type == kApplyPatchYaml;
}

// The program that asks: the first part of its User-Agent, cut to what a manager may be.
std::string ManagerOfUserAgent(std::string_view user_agent) {
  std::string out;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (out.size() == kMaxFieldManagerBytes) break;
    if (c >= 0x20 && c < 0x7f) out.push_back(c);
  }
  return out;
}

// force and fieldManager, which an apply must have and says in its own way.
FieldErrors ReadPatchOptions(const http::Request& request, WriteOptions* options) {
  if (!IsApply(request)) {
    if (!request.query.Has("force")) return {};
    return {ForbiddenField("force", "may not be specified for non-apply patch")};
  }
  options->force = QueryFlag(request.query, "force");
  if (!request.query.Get("fieldManager").empty()) return {};
  return {RequiredField("fieldManager", "is required for apply patch")};
}

Status CheckDeleteOptions(const DeleteOptions& options) {
  const std::string& policy = options.propagation_policy;
  if (options.orphan_dependents && !policy.empty()) {
    return InvalidOption("DeleteOptions",
                         {InvalidField("propagationPolicy", policy,
                                       "orphanDependents and deletionPropagation cannot be both "
                                       "set")});
  }
  if (policy.empty() || policy == "Orphan" || policy == "Background" || policy == "Foreground")
    return Status::Ok();
  return InvalidOption("DeleteOptions", {UnsupportedValue("propagationPolicy", policy,
                                                          {"Foreground", "Background", "Orphan"})});
}

Result<DeleteOptions> DeleteOptionsOfQuery(const http::Query& query) {
  DeleteOptions options;
  const Result<bool> dry_run = DryRunOf(query.GetAll("dryRun"), "DeleteOptions");
  if (!dry_run.ok()) return dry_run.status();
  options.dry_run = *dry_run;
  options.propagation_policy = query.Get("propagationPolicy");
  if (query.Has("orphanDependents"))
    options.orphan_dependents = QueryFlag(query, "orphanDependents");
  const std::string_view grace = query.Get("gracePeriodSeconds");
  if (!grace.empty() && !ParseInt64(grace))
    return BadRequest("gracePeriodSeconds must be a number, not \"" + std::string(grace) + "\"");
  ASYNCOPS_RETURN_IF_ERROR(CheckDeleteOptions(options));
  return options;
}

// The member where it has this type, nothing where there is none. BadRequest where it is of another
// type: what is passed over might be what keeps an object. `at` leads the name: "DeleteOptions.".
Result<const Json*> MemberOf(const Json& object, std::string_view at, std::string_view name,
                             Json::Type type) {
  const Json* found = object.Find(name);
  if (found == nullptr || found->is_null()) return static_cast<const Json*>(nullptr);
  if (found->type() == type) return found;
  return BadRequest(std::string(at) + std::string(name) + " must be of type " +
                    std::string(JsonTypeName(type)) + ", not " +
                    std::string(JsonTypeName(found->type())));
}

Result<std::optional<std::string>> TextOf(const Json& object, std::string_view at,
                                          std::string_view name) {
  const Result<const Json*> text = MemberOf(object, at, name, Json::Type::kString);
  if (!text.ok()) return text.status();
  if (*text == nullptr) return std::optional<std::string>();
  return std::optional<std::string>((*text)->as_string());
}

Result<bool> DryRunOfBody(const Json& options) {
  const Result<const Json*> listed =
      MemberOf(options, kDeleteOptionsAt, "dryRun", Json::Type::kArray);
  if (!listed.ok()) return listed.status();
  std::vector<std::string_view> values;
  if (*listed != nullptr) {
    for (const Json& item : (*listed)->as_array())
      values.push_back(item.is_string() ? std::string_view(item.as_string()) : "");
  }
  return DryRunOf(values, "DeleteOptions");
}

Result<Preconditions> PreconditionsOf(const Json& options) {
  constexpr std::string_view kAt = "DeleteOptions.preconditions.";
  const Result<const Json*> found =
      MemberOf(options, kDeleteOptionsAt, "preconditions", Json::Type::kObject);
  if (!found.ok()) return found.status();
  if (*found == nullptr) return Preconditions();
  Result<std::optional<std::string>> uid = TextOf(**found, kAt, "uid");
  if (!uid.ok()) return uid.status();
  Result<std::optional<std::string>> version = TextOf(**found, kAt, "resourceVersion");
  if (!version.ok()) return version.status();
  return Preconditions{.uid = *std::move(uid), .resource_version = *std::move(version)};
}

Result<DeleteOptions> DeleteOptionsOfBody(const Json& body) {
  DeleteOptions options;
  const Result<bool> dry_run = DryRunOfBody(body);
  if (!dry_run.ok()) return dry_run.status();
  options.dry_run = *dry_run;
  const auto policy = TextOf(body, kDeleteOptionsAt, "propagationPolicy");
  if (!policy.ok()) return policy.status();
  options.propagation_policy = policy->value_or("");
  Result<Preconditions> preconditions = PreconditionsOf(body);
  if (!preconditions.ok()) return preconditions.status();
  options.preconditions = *std::move(preconditions);
  // Nothing here takes time to end, so that any number of seconds is as good as another.
  const auto grace = MemberOf(body, kDeleteOptionsAt, "gracePeriodSeconds", Json::Type::kInt);
  if (!grace.ok()) return grace.status();
  const auto orphan = MemberOf(body, kDeleteOptionsAt, "orphanDependents", Json::Type::kBool);
  if (!orphan.ok()) return orphan.status();
  if (*orphan != nullptr) options.orphan_dependents = (*orphan)->as_bool();
  ASYNCOPS_RETURN_IF_ERROR(CheckDeleteOptions(options));
  return options;
}

}  // namespace

Result<WriteOptions> WriteOptionsOf(const http::Request& request, std::string_view verb) {
  const std::string_view kind = OptionsKind(verb);
  const http::Query& query = request.query;
  WriteOptions options;
  const Result<bool> dry_run = DryRunOf(query.GetAll("dryRun"), kind);
  if (!dry_run.ok()) return dry_run.status();
  options.dry_run = *dry_run;
  const std::string_view mode = query.Get("fieldValidation");
  if (mode == "Strict") {
    options.field_validation = FieldValidation::kStrict;
  } else if (mode == "Ignore") {
    options.field_validation = FieldValidation::kIgnore;
  } else if (!mode.empty() && mode != "Warn") {
    return InvalidOption(kind,
                         {UnsupportedValue("fieldValidation", mode, {"Ignore", "Warn", "Strict"})});
  }
  options.field_manager = query.Get("fieldManager");
  FieldErrors errors = CheckFieldManager(options.field_manager);
  if (verb == "patch" && errors.empty()) errors = ReadPatchOptions(request, &options);
  if (!errors.empty()) return InvalidOption(kind, errors);
  if (options.field_manager.empty())
    options.field_manager = ManagerOfUserAgent(request.headers.Get("User-Agent"));
  return options;
}

Result<DeleteOptions> DeleteOptionsOf(const http::Request& request) {
  if (request.body.empty()) return DeleteOptionsOfQuery(request.query);
  const Result<DecodedBody> body = DecodeBody(request);
  if (!body.ok()) return body.status();
  const Json& value = body->value;
  if (!value.is_object()) return BadRequest("DeleteOptions must be a JSON object");
  const Result<std::optional<std::string>> kind = TextOf(value, kDeleteOptionsAt, "kind");
  if (!kind.ok()) return kind.status();
  if (kind->value_or("DeleteOptions") != "DeleteOptions" && !(*kind)->empty())
    return BadRequest("the body of a delete must be DeleteOptions, not " + **kind);
  Result<DeleteOptions> options = DeleteOptionsOfBody(value);
  // Whoever says it in either place means it: a deletion cannot be taken back.
  const Result<bool> dry_run = DryRunOf(request.query.GetAll("dryRun"), "DeleteOptions");
  if (!dry_run.ok()) return dry_run.status();
  if (options.ok() && *dry_run) options->dry_run = true;
  return options;
}

}  // namespace asyncops::apiserver
