#include "reconciler/presets.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace asyncops::reconciler {
namespace {

struct Preset {
  std::string_view name;
  void (*fill)(Declaration*);
};

void FillNothing(Declaration*) {}

constexpr std::array<Preset, 9> kPresets = {{
    {"", FillNothing},
    {"AWSCloudControl", FillAwsCloudControl},
    {"AcceptedLocation", FillAcceptedLocation},
    {"AzureARM", FillAzureArm},
    {"Custom", FillNothing},
    {"DescribeUntil", FillDescribeUntil},
    {"GoogleLRO", FillGoogleLro},
    {"JobStatus", FillJobStatus},
    {"ODataAsync", FillODataAsync},
}};

Declaration FromUser(const ExternalSystem& system, const AsyncOperation& operation) {
  const AsyncOperationSpec& spec = operation.spec;
  Declaration out;
  out.type = spec.type;
  out.submit = spec.submit.value_or(SubmitSpec{});
  out.operation = spec.operation.value_or(OperationMapping{});
  out.poll = spec.poll.value_or(PollSpec{});
  if (spec.recovery) out.lookup = spec.recovery->lookup;
  out.cancel = spec.cancel;
  out.outputs = spec.outputs;
  out.error_rules = spec.error_rules;
  out.error_rules.insert(out.error_rules.end(), system.spec.error_rules.begin(),
                         system.spec.error_rules.end());
  out.idempotency = system.spec.idempotency;
  if (spec.type == "Delete") out.gone = spec.gone;
  // A path that names the operation is its monitor's, and says nothing of the thing.
  out.polls_thing = !out.poll.path.empty() && out.poll.path.find("operation.") == std::string::npos;
  FillText(&out.submit.method, spec.type == "Delete" ? "DELETE" : "POST");
  return out;
}

void FillDefaults(const AsyncOperation& operation, Declaration* out) {
  FillText(&out->operation.immediate, "Succeeded");
  FillText(&out->poll.method, "GET");
  FillText(&out->poll.default_state, "Running");
  FillText(&out->poll.envelope, "None");
  // A monitor that moves says so with the answer that says "not yet".
  if (out->poll.path.empty())
    FillText(&out->poll.next_url, "response.status == 202 ? response.headers.location : ''");
  if (!out->poll.result) out->poll.result = ResultSource{"PollResponse", "", ""};
  if (out->lookup) FillText(&out->lookup->method, "GET");
  if (out->cancel) FillText(&out->cancel->method, "POST");
  if (operation.spec.type == "Delete" && out->gone.empty()) out->gone = {404, 410};
}

}  // namespace

void FillText(std::string* field, std::string_view value) {
  if (field->empty()) *field = value;
}

void FillHeader(std::vector<HeaderSpec>* headers, std::string_view name, std::string_view value) {
  const auto same = [name](const HeaderSpec& header) {
    return EqualsIgnoreCase(header.name, name);
  };
  if (std::any_of(headers->begin(), headers->end(), same)) return;
  headers->push_back({std::string(name), std::string(value), std::nullopt});
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
  const auto* preset = std::find_if(
      kPresets.begin(), kPresets.end(),
      [&system](const Preset& candidate) { return candidate.name == system.spec.preset; });
  if (preset == kPresets.end())
    return Status(Reason::kInvalid, "there is no preset " + system.spec.preset);
  preset->fill(&out);
  if (preset->name == "DescribeUntil" && out.poll.acceptors.empty() && out.type != "Delete")
    return Status(Reason::kInvalid,
                  "preset DescribeUntil needs poll.acceptors: only they say when it is ready");
  FillErrorMapping(&out);
  FillDefaults(operation, &out);
  return out;
}

}  // namespace asyncops::reconciler
