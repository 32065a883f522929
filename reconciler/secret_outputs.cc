#include "reconciler/secret_outputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reconciler/annotations.h"

namespace asyncops::reconciler {
namespace {

// Part of an object: shorter ones are words such as "admin" that stand everywhere.
constexpr std::size_t kMinPartBytes = 8;

void AddParts(const Json& value, std::vector<std::string>* out) {
  if (value.is_string()) {
    if (value.as_string().size() >= kMinPartBytes) out->push_back(value.as_string());
  } else if (value.is_array()) {
    for (const Json& item : value.as_array()) AddParts(item, out);
  } else if (value.is_object()) {
    for (const JsonMember& member : value.as_object()) AddParts(member.value, out);
  }
}

// What is in the operation's own Secrets now, under the keys that it declares.
void AddStored(const AsyncOperation& operation, const Protocol::Policy& policy,
               ResourceClient& resources, std::vector<std::string>* out) {
  std::map<std::string, SecretData> read;
  for (const SecretKeyRef& target : policy.secret_targets) {
    auto found = read.find(target.name);
    if (found == read.end()) {
      Result<SecretData> data =
          resources.GetSecret({operation.metadata.namespace_name, target.name});
      found = read.emplace(target.name, data.ok() ? *std::move(data) : SecretData()).first;
    }
    const auto value = found->second.find(target.key);
    if (value != found->second.end()) out->push_back(value->second);
  }
}

std::vector<std::string> ValuesOf(const AsyncOperation& operation, const Protocol::Policy& policy,
                                  const std::vector<SecretOutput>& outputs, bool is_final,
                                  const std::vector<std::string>& seen, ResourceClient& resources) {
  std::vector<std::string> values;
  if (policy.secret_targets.empty()) return values;
  for (const SecretOutput& output : outputs) {
    const bool whole = output.value.is_object() || output.value.is_array();
    if (!whole || is_final) values.push_back(output.Text());
    if (whole && is_final) AddParts(output.value, &values);
  }
  AddStored(operation, policy, resources, &values);
  values.insert(values.end(), seen.begin(), seen.end());
  return values;
}

// Of an object each later answer tells the parts anew.
void Remember(const SecretOutput& output, std::vector<std::string>* seen) {
  constexpr std::size_t kMaxSeen = 64;
  if (output.value.is_object() || output.value.is_array()) return;
  std::string text = output.Text();
  if (std::find(seen->begin(), seen->end(), text) != seen->end()) return;
  if (seen->size() >= kMaxSeen) seen->erase(seen->begin());
  seen->push_back(std::move(text));
}

}  // namespace

OwnerReference SecretOwnerOf(const AsyncOperation& operation) {
  const ObjectMeta& meta = operation.metadata;
  const auto label = meta.labels.find(kResourceUidLabel);
  const std::optional<ResourceRef>& resource = operation.spec.resource_ref;
  if (label != meta.labels.end() && resource && resource->uid == label->second) {
    return {.api_version = resource->api_version,
            .kind = resource->kind,
            .name = resource->name,
            .uid = resource->uid,
            .controller = true,
            .block_owner_deletion = {}};
  }
  return {.api_version = std::string(kOperationsGroup) + "/" + std::string(kVersion),
          .kind = "AsyncOperation",
          .name = meta.name,
          .uid = meta.uid,
          .controller = true,
          .block_owner_deletion = {}};
}

Status CheckSecrets(const AsyncOperation& operation, const Protocol::Policy& policy,
                    ResourceClient& resources) {
  std::set<std::string> names;
  for (const SecretKeyRef& target : policy.secret_targets) names.insert(target.name);
  for (const std::string& name : names) {
    ASYNCOPS_RETURN_IF_ERROR(resources.ApplySecret({operation.metadata.namespace_name, name},
                                                   SecretOwnerOf(operation), {}));
  }
  return Status::Ok();
}

Status WriteSecrets(const AsyncOperation& operation, const std::vector<SecretOutput>& outputs,
                    ResourceClient& resources) {
  std::map<std::string, SecretData> by_name;
  for (const SecretOutput& output : outputs)
    by_name[output.target.name].insert_or_assign(output.target.key, output.Text());
  for (const auto& [name, values] : by_name) {
    ASYNCOPS_RETURN_IF_ERROR(resources.ApplySecret({operation.metadata.namespace_name, name},
                                                   SecretOwnerOf(operation), values));
  }
  return Status::Ok();
}

OutputRedactor::OutputRedactor(const AsyncOperation& operation, const Protocol::Policy& policy,
                               const std::vector<SecretOutput>& outputs, bool is_final,
                               const std::vector<std::string>& seen, ResourceClient& resources)
    : needed_(!policy.secret_targets.empty()),
      redactor_(ValuesOf(operation, policy, outputs, is_final, seen, resources)) {}

void OutputRedactor::Redact(ExternalAnswer* answer) const {
  if (!needed_) return;
  answer->headers = redactor_.RedactJson(answer->headers);
  answer->body = redactor_.RedactJson(answer->body);
  answer->error = redactor_.RedactText(answer->error);
}

TakenOutputs TakeOutputs(const AnswerContext& context, ResourceClient& resources,
                         FaultPoints& faults, ExternalAnswer* answer) {
  const Protocol& protocol = context.protocol;
  const auto submit_response = [&context, answer] {
    return context.submit_response == nullptr ? answer->ToResponse() : *context.submit_response;
  };
  TakenOutputs taken;
  taken.secrets = protocol.SecretOutputs(*answer, context.identity, submit_response());
  const OutputRedactor redactor(context.operation, protocol.policy(), taken.secrets,
                                context.is_final, *context.seen, resources);
  redactor.Redact(answer);
  for (const SecretOutput& output : taken.secrets) Remember(output, context.seen);
  if (!context.is_final) return taken;
  taken.outputs = protocol.Outputs(*answer, context.identity, submit_response());
  if (taken.secrets.empty()) return taken;
  const FaultScope scope(faults, FaultPoint::Kind::kWrite, "Secret");
  taken.written = WriteSecrets(context.operation, taken.secrets, resources);
  return taken;
}

}  // namespace asyncops::reconciler
