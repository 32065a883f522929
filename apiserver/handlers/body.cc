#include "apiserver/handlers/body.h"

#include <utility>

#include "api/meta/field_error.h"
#include "api/meta/quote.h"
#include "apiserver/handlers/media_type.h"
#include "apiserver/handlers/protobuf_body.h"
#include "apiserver/handlers/request_info.h"
#include "base/ascii.h"
#include "base/yaml.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";
constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";
// apimachinery's FieldManagerMaxLength.
constexpr std::size_t kMaxFieldManager = 128;

Status UnknownFormat(std::string_view accepted) {
  return {Reason::kUnsupportedMediaType,
          "the body of the request was in an unknown format - accepted media types include: " +
              std::string(accepted)};
}

Status InvalidOption(std::string_view kind, const FieldErrors& errors) {
  return InvalidObject("meta.k8s.io", kind, "", errors);
}

Result<DecodedBody> DecodeYaml(const std::string& text) {
  Result<std::vector<Json>> documents = ParseYaml(text);
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) return BadRequest("the body must hold exactly one YAML document");
  return DecodedBody{std::move(documents->front()), {}};
}

Result<DecodedBody> DecodeJsonText(const std::string& text) {
  DecodedBody body;
  Result<Json> value = ParseJson(text, {.duplicates = &body.duplicate_fields});
  if (!value.ok()) return value.status().WithContext("the body of the request does not parse");
  body.value = std::move(*value);
  return body;
}

// The first member that is an instruction to merge, such as "$setElementOrder/finalizers"; "" where
// there is none.
std::string_view FindDirective(const Json& patch) {
  if (patch.is_array()) {
    for (const Json& element : patch.as_array()) {
      if (const std::string_view found = FindDirective(element); !found.empty()) return found;
    }
  }
  if (!patch.is_object()) return {};
  for (const JsonMember& member : patch.as_object()) {
    if (member.name.starts_with('$')) return member.name;
    if (const std::string_view found = FindDirective(member.value); !found.empty()) return found;
  }
  return {};
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
  if (manager.size() > kMaxFieldManager) return {TooLongField("fieldManager", kMaxFieldManager)};
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
  return ParseMediaType(request.headers.Get("Content-Type")).type == kApplyPatch;
}

// As in Go's own clients a parameter without a value is true.
bool IsTrue(const http::Query& query, std::string_view name) {
  if (!query.Has(name)) return false;
  const std::string_view value = query.Get(name);
  return value != "false" && value != "0";
}

// The program that asks: the first part of its User-Agent, cut to what a manager may be.
std::string ManagerOfUserAgent(std::string_view user_agent) {
  std::string out;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (out.size() == kMaxFieldManager) break;
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
  options->force = IsTrue(request.query, "force");
  if (!request.query.Get("fieldManager").empty()) return {};
  return {RequiredField("fieldManager", "is required for apply patch")};
}

// JSON is YAML, but only a JSON parser sees duplicate fields.
Result<DecodedBody> DecodeConfiguration(const std::string& text) {
  if (Result<DecodedBody> body = DecodeJsonText(text); body.ok()) return body;
  Result<DecodedBody> body = DecodeYaml(text);
  if (!body.ok()) return body.status().WithContext("error decoding YAML");
  return body;
}

std::optional<std::string> TextAt(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* found = value.FindPath(path);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->as_string();
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

// A member of DeleteOptions that has this type, or nothing where there is none. BadRequest where it
// is of another type.
Result<const Json*> OptionAt(const Json& options, std::string_view name, Json::Type type) {
  const Json* found = options.Find(name);
  if (found == nullptr || found->is_null()) return static_cast<const Json*>(nullptr);
  if (found->type() == type) return found;
  return BadRequest("DeleteOptions." + std::string(name) + " must be a " +
                    std::string(JsonTypeName(type)) + ", not a " +
                    std::string(JsonTypeName(found->type())));
}

}  // namespace

Result<DecodedBody> DecodeBody(const http::Request& request) {
  const std::string type = ParseMediaType(request.headers.Get("Content-Type")).type;
  if (type == kYaml) return DecodeYaml(request.body);
  if (type.empty() || type == kJson) return DecodeJsonText(request.body);
  if (type == kProtobuf) {
    Result<Json> value = DecodeProtobuf(request.body);
    if (!value.ok()) return value.status();
    return DecodedBody{std::move(*value), {}};
  }
  return UnknownFormat("application/json, application/yaml");
}

Result<DecodedPatch> DecodePatch(const http::Request& request, const ResourceInfo& resource) {
  const std::string type = ParseMediaType(request.headers.Get("Content-Type")).type;
  const bool core = resource.group.empty();
  const bool strategic = core && type == kStrategicMergePatch;
  if (type == kApplyPatch) {
    Result<DecodedBody> configuration = DecodeConfiguration(request.body);
    if (!configuration.ok()) return configuration.status();
    return DecodedPatch{PatchType::kApply, *std::move(configuration)};
  }
  if (type != kJsonPatch && type != kMergePatch && !strategic) {
    std::string own = std::string(kJsonPatch) + ", " + std::string(kMergePatch);
    if (core) own += ", " + std::string(kStrategicMergePatch);
    return UnknownFormat(own + ", " + std::string(kApplyPatch));
  }
  Result<DecodedBody> body = DecodeJsonText(request.body);
  if (!body.ok()) return body.status();
  if (strategic) {
    if (const std::string_view directive = FindDirective(body->value); !directive.empty()) {
      return BadRequest("the patch holds " + std::string(directive) +
                        ", which is not supported: send a merge patch or a JSON patch");
    }
  }
  return DecodedPatch{type == kJsonPatch ? PatchType::kJson : PatchType::kMerge, std::move(*body)};
}

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
  const std::string_view kind = value.StringAt({"kind"});
  if (!kind.empty() && kind != "DeleteOptions")
    return BadRequest("the body of a delete must be DeleteOptions, not " + std::string(kind));
  std::vector<std::string_view> dry_run_values;
  if (const Json* listed = value.Find("dryRun"); listed != nullptr && listed->is_array()) {
    for (const Json& item : listed->as_array())
      dry_run_values.push_back(item.is_string() ? std::string_view(item.as_string()) : "");
  }
  DeleteOptions options;
  const Result<bool> dry_run = DryRunOf(dry_run_values, "DeleteOptions");
  if (!dry_run.ok()) return dry_run.status();
  options.dry_run = *dry_run;
  options.propagation_policy = value.StringAt({"propagationPolicy"});
  options.precondition_uid = TextAt(value, {"preconditions", "uid"});
  options.precondition_resource_version = TextAt(value, {"preconditions", "resourceVersion"});
  // Nothing here takes time to end, so that any number of seconds is as good as another.
  const Result<const Json*> grace = OptionAt(value, "gracePeriodSeconds", Json::Type::kInt);
  if (!grace.ok()) return grace.status();
  const Result<const Json*> orphan = OptionAt(value, "orphanDependents", Json::Type::kBool);
  if (!orphan.ok()) return orphan.status();
  if (*orphan != nullptr) options.orphan_dependents = (*orphan)->as_bool();
  ASYNCOPS_RETURN_IF_ERROR(CheckDeleteOptions(options));
  return options;
}

}  // namespace asyncops::apiserver
