#include "reconciler/presets.h"

namespace asyncops::reconciler {
namespace {

Declaration FromUser(const ExternalSystem& system, const AsyncOperation& operation) {
  const AsyncOperationSpec& spec = operation.spec;
  Declaration out;
  out.submit = spec.submit.value_or(SubmitSpec{});
  out.operation = spec.operation.value_or(OperationMapping{});
  out.poll = spec.poll.value_or(PollSpec{});
  if (spec.recovery) out.lookup = spec.recovery->lookup;
  out.cancel = spec.cancel;
  out.outputs = spec.outputs;
  out.error_rules = spec.error_rules;
  out.error_rules.insert(out.error_rules.end(), system.spec.error_rules.begin(),
                         system.spec.error_rules.end());
  if (spec.type == "Delete") out.gone = spec.gone;
  return out;
}

void FillDefaults(const AsyncOperation& operation, Declaration* out) {
  const bool is_delete = operation.spec.type == "Delete";
  FillText(&out->submit.method, is_delete ? "DELETE" : "POST");
  FillText(&out->poll.method, "GET");
  FillText(&out->poll.default_state, "Running");
  if (!out->poll.result) out->poll.result = ResultSource{.from = "PollResponse", .url = ""};
  if (out->lookup) FillText(&out->lookup->method, "GET");
  if (out->cancel) FillText(&out->cancel->method, "POST");
  if (is_delete && out->gone.empty()) out->gone = {404, 410};
}

}  // namespace

void FillText(std::string* field, std::string_view value) {
  if (field->empty()) *field = value;
}

void FillErrorMapping(Declaration* declaration) {
  if (!declaration->poll.error) declaration->poll.error.emplace();
  FillText(&declaration->poll.error->code,
           "has(response.body.error) && has(response.body.error.code)"
           " ? string(response.body.error.code)"
           " : has(response.body.code) ? string(response.body.code)"
           " : has(response.body.errorCode) ? string(response.body.errorCode)"
           " : string(response.body.error)");
  FillText(&declaration->poll.error->message,
           "has(response.body.error) && has(response.body.error.message)"
           " ? response.body.error.message"
           " : has(response.body.message) ? response.body.message"
           " : has(response.body.error_description) ? response.body.error_description"
           " : has(response.body.detail) ? response.body.detail"
           " : has(response.body.title) ? response.body.title"
           " : response.body.errors[0].message");
}

Result<Declaration> Declare(const ExternalSystem& system, const AsyncOperation& operation) {
  Declaration out = FromUser(system, operation);
  const std::string& preset = system.spec.preset;
  if (preset == "AcceptedLocation") {
    FillAcceptedLocation(&out);
  } else if (preset == "GoogleLRO") {
    FillGoogleLro(&out);
  } else if (preset == "JobStatus") {
    FillJobStatus(&out);
  } else if (!preset.empty() && preset != "Custom") {
    return Status(Reason::kInvalid,
                  "preset " + preset + " is not carried out by this release; write the fields out");
  }
  FillErrorMapping(&out);
  FillDefaults(operation, &out);
  return out;
}

}  // namespace asyncops::reconciler
