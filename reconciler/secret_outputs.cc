#include "reconciler/secret_outputs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "reconciler/annotations.h"
#include "reconciler/answer_reading.h"
#include "reconciler/earlier_secrets.h"
#include "reconciler/redact.h"

namespace asyncops::reconciler {
namespace {

// Shorter parts of objects stand everywhere; in what users read on with they do no good.
constexpr std::size_t kMinPartOfOutput = 8;

// What stands in these Secrets now; of one that is gone, what stood there last.
void AddStored(const AsyncOperation& operation, const std::vector<SecretKeyRef>& targets,
               ResourceClient& resources, SecretValues* out) {
  std::map<std::string, SecretData> read;
  for (const SecretKeyRef& target : targets) {
    auto found = read.find(target.name);
    if (found == read.end()) {
      Result<SecretData> data =
          resources.GetLastSecret({operation.metadata.namespace_name, target.name});
      found = read.emplace(target.name, data.ok() ? *std::move(data) : SecretData()).first;
    }
    const auto value = found->second.find(target.key);
    if (value != found->second.end()) out->AddKept(value->second);
  }
}

SecretValues ValuesOf(const AnswerContext& context, const std::vector<SecretOutput>& outputs,
                      ResourceClient& resources) {
  SecretValues values;
  for (const SecretOutput& output : outputs) values.Add(output.value);
  context.seen->Remember(values);
  AddStored(context.operation, context.protocol.policy().secret_targets, resources, &values);
  AddStored(context.operation, EarlierSecrets(context.operation), resources, &values);
  values.texts.insert(values.texts.end(), context.seen->texts.begin(), context.seen->texts.end());
  values.parts.insert(values.parts.end(), context.seen->parts.begin(), context.seen->parts.end());
  return values;
}

// Takes values out of an answer.
class OutputRedactor {
 public:
  // Without parts shorter than `least_part`. `kept`: names of members that keep parts, also in
  // their names.
  OutputRedactor(const SecretValues& values, std::size_t least_part,
                 const std::vector<std::string>& kept)
      : texts_(TextsOf(values)), all_(AllOf(values, least_part)), kept_(kept) {}

  // Whether there was anything.
  bool Redact(ExternalAnswer* answer) const {
    const Json headers = RedactJson(answer->headers);
    const Json body = RedactJson(answer->body);
    std::string error = all_.RedactText(answer->error);
    const bool any =
        !(headers == answer->headers) || !(body == answer->body) || error != answer->error;
    answer->headers = headers;
    answer->body = body;
    answer->error = std::move(error);
    return any;
  }

 private:
  static std::vector<std::string> TextsOf(const SecretValues& values) {
    std::vector<std::string> texts = values.texts;
    texts.insert(texts.end(), values.wholes.begin(), values.wholes.end());
    return texts;
  }
  static std::vector<std::string> AllOf(const SecretValues& values, std::size_t least_part) {
    std::vector<std::string> all = TextsOf(values);
    std::copy_if(values.parts.begin(), values.parts.end(), std::back_inserter(all),
                 [least_part](const std::string& part) { return part.size() >= least_part; });
    return all;
  }
  // `keeps`: the value is of a member that keeps parts.
  Json RedactJson(const Json& value, bool keeps = false) const {
    if (value.is_array()) {
      JsonArray items;
      for (const Json& item : value.as_array()) items.push_back(RedactJson(item, keeps));
      return items;
    }
    if (!value.is_object()) return (keeps ? texts_ : all_).RedactJson(value);
    std::vector<JsonMember> members;
    for (const JsonMember& member : value.as_object()) {
      const bool kept = std::find(kept_.begin(), kept_.end(), member.name) != kept_.end();
      members.push_back(
          {(kept ? texts_ : all_).RedactText(member.name), RedactJson(member.value, kept)});
    }
    return JsonObject(std::move(members));
  }

  const Redactor texts_;
  const Redactor all_;
  const std::vector<std::string>& kept_;
};

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

bool KnowsSecrets(const AsyncOperation& operation, const Protocol::Policy& policy) {
  return !policy.secret_targets.empty() || !EarlierSecrets(operation).empty();
}

TakenOutputs TakeOutputs(const AnswerContext& context, ResourceClient& resources,
                         FaultPoints& faults, ExternalAnswer* answer) {
  static const std::vector<std::string> kNone;
  const Protocol& protocol = context.protocol;
  const auto submit_response = [&context](const ExternalAnswer& from) {
    return context.submit_response == nullptr ? from.ToResponse() : *context.submit_response;
  };
  const bool ends = context.kind == AnswerContext::Kind::kEnd;
  TakenOutputs taken;
  if (context.seen == nullptr) {
    if (ends) taken.outputs = protocol.Outputs(*answer, context.identity, submit_response(*answer));
    return taken;
  }
  taken.secrets = protocol.SecretOutputs(*answer, context.identity, submit_response(*answer));
  const SecretValues values = ValuesOf(context, taken.secrets, resources);
  ExternalAnswer shown = ends ? *answer : ExternalAnswer();
  const bool starts = context.kind == AnswerContext::Kind::kStart;
  const OutputRedactor redactor(values, kMinRedactedBytes,
                                starts ? protocol.policy().read_on : kNone);
  taken.redacted = redactor.Redact(answer);
  if (!ends) return taken;
  OutputRedactor(values, kMinPartOfOutput, kNone).Redact(&shown);
  taken.outputs = protocol.Outputs(shown, context.identity, submit_response(shown));
  if (taken.secrets.empty()) return taken;
  const FaultScope scope(faults, FaultPoint::Kind::kWrite, "Secret");
  taken.written = WriteSecrets(context.operation, taken.secrets, resources);
  return taken;
}

Failure InStoredWords(Failure judged, const Failure& stored) {
  if (judged.code.empty()) return judged;
  // What is left may not say any more that it failed.
  const Failure words = stored.code.empty() ? OperationFailure() : stored;
  judged.code = words.code;
  judged.message = words.message;
  return judged;
}

}  // namespace asyncops::reconciler
