#include "reconciler/owned_operation.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/asyncops/v1alpha1/secret_output_rules.h"
#include "api/schema/binding.h"
#include "base/ascii.h"
#include "base/crypto.h"
#include "reconciler/annotations.h"
#include "reconciler/decide.h"
#include "reconciler/object_watch.h"
#include "reconciler/operation_memo.h"
#include "reconciler/operation_object.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kSuffix = 5;
// As IdGenerator::NameSuffix: no vowels, so no words.
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
// A copy of the whole object, of no use to a template.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string Suffix(const std::string& identity) {
  std::uint64_t hash = StableHash(identity);
  std::string out(kSuffix, ' ');
  for (char& c : out) {
    c = kAlphabet[hash % kAlphabet.size()];
    hash /= kAlphabet.size();
  }
  return out;
}

const std::optional<StepSpec>& StepOf(const AsyncResourceSpec& spec, std::string_view type) {
  if (type == kCreate) return spec.create;
  return type == kUpdate ? spec.update : spec.delete_step;
}

Json ContextMetadata(const ObjectMeta& meta) {
  Labels annotations = meta.annotations;
  annotations.erase(std::string(kLastApplied));
  return Json::Of({{"name", meta.name},
                   {"namespace", meta.namespace_name},
                   {"uid", meta.uid},
                   {"generation", meta.generation},
                   {"labels", Codec<Labels>::Encode(meta.labels)},
                   {"annotations", Codec<Labels>::Encode(annotations)}});
}

ObjectMeta MakeMeta(const AsyncResource& resource, std::string_view type, Time now,
                    IdGenerator& ids) {
  const ObjectMeta& owner = resource.metadata;
  ObjectMeta meta;
  meta.name = OperationName(resource, type);
  meta.namespace_name = owner.namespace_name;
  meta.uid = ids.Uuid();
  meta.generation = 1;
  meta.creation_timestamp = now;
  meta.labels.emplace(kResourceUidLabel, owner.uid);
  meta.labels.emplace(kGenerationLabel, std::to_string(owner.generation));
  meta.finalizers.emplace_back(kTrackingFinalizer);
  meta.owner_references.push_back({.api_version = "asyncops.dev/v1alpha1",
                                   .kind = "AsyncResource",
                                   .name = owner.name,
                                   .uid = owner.uid,
                                   .controller = true,
                                   .block_owner_deletion = true});
  const auto retry = owner.annotations.find(kRetryRequestedAt);
  if (retry != owner.annotations.end()) meta.annotations.emplace(kRetryRequestedAt, retry->second);
  return meta;
}

std::int64_t GenerationOf(const AsyncOperation& operation) {
  const auto it = operation.metadata.labels.find(kGenerationLabel);
  std::int64_t generation = 0;
  if (it != operation.metadata.labels.end()) {
    const std::string& text = it->second;
    std::from_chars(text.data(), text.data() + text.size(), generation);
  }
  return generation;
}

// Whether something may be there because of it. What the system itself called failed or cancelled
// is not; what was never sent, or surely refused, is not.
void SetDoubts(const storage::Store& store, OwnedOperation* owned) {
  const AsyncOperation& operation = owned->operation;
  owned->may_exist = operation.status.phase == phase::kSucceeded;
  if (owned->may_exist) return;
  const Result<storage::OperationRow> row = store.engine().LatestOperation(operation.metadata.uid);
  if (!row.ok() || row->remote_outcome == "Failed" || row->remote_outcome == "Canceled") return;
  const Result<OperationMemo> memo = DecodeMemo(row->memo);
  owned->may_exist = !memo.ok() || memo->maybe_started;
  owned->may_run = memo.ok() && EndedInDoubt(*row, *memo);
}

Result<std::vector<AsyncOperation>> List(const storage::Store& store, const ObjectName& name,
                                         const std::string& field, const std::string& value) {
  std::vector<AsyncOperation> found;
  Status damaged;
  FieldSelector selector;
  selector.requirements.push_back({.field = field, .equal = true, .value = value});
  const auto take = [&found, &damaged](const storage::Record& record) {
    const Result<Json> object = ParseJson(record.json);
    Result<AsyncOperation> operation =
        object.ok() ? DecodeAs<AsyncOperation>(*object) : Result<AsyncOperation>(object.status());
    if (!operation.ok()) {
      damaged = operation.status();
    } else {
      found.push_back(std::move(*operation));
    }
  };
  const Result<storage::Revision> listed = ForEachObject(store, OperationResource().GroupResource(),
                                                         name.namespace_name, selector, take);
  if (!listed.ok()) return listed.status();
  if (!damaged.ok()) return damaged;
  return found;
}

// An output that is in a Secret is read from there when the header is sent.
void ReadOutputsFromSecrets(const std::vector<OutputSpec>& outputs,
                            std::vector<HeaderSpec>* headers) {
  for (HeaderSpec& header : *headers) {
    const std::optional<std::string> name = OutputOfHeader(header.value);
    if (!name || header.value_from) continue;
    const auto output =
        std::find_if(outputs.begin(), outputs.end(),
                     [&name](const OutputSpec& one) { return one.to_secret && one.name == *name; });
    if (output == outputs.end()) continue;
    header.value.clear();
    header.value_from = HeaderValueSource{.secret_key_ref = output->to_secret};
  }
}

}  // namespace

bool IsEnded(const AsyncOperation& operation) {
  const std::string& phase = operation.status.phase;
  return phase == phase::kSucceeded || phase == phase::kFailed || phase == phase::kCanceled;
}

std::string OperationName(const AsyncResource& resource, std::string_view type) {
  const ObjectMeta& meta = resource.metadata;
  const std::string verb = LowerCase(type);
  const std::size_t rest = verb.size() + kSuffix + 2;
  std::string base = meta.name.substr(0, kMaxName - rest);
  while (!base.empty() && (base.back() == '-' || base.back() == '.')) base.pop_back();
  return base + "-" + verb + "-" +
         Suffix(meta.uid + "/" + verb + "/" + std::to_string(meta.generation));
}

AsyncOperation MakeOperation(const AsyncResource& resource, std::string_view type, Json outputs,
                             Time now, IdGenerator& ids) {
  AsyncOperation made;
  made.metadata = MakeMeta(resource, type, now, ids);
  const AsyncResourceSpec& from = resource.spec;
  AsyncOperationSpec& spec = made.spec;
  spec.type = type;
  spec.resource_ref = ResourceRef{.api_version = "asyncops.dev/v1alpha1",
                                  .kind = "AsyncResource",
                                  .name = resource.metadata.name,
                                  .uid = resource.metadata.uid};
  spec.external_system_ref = from.external_system_ref;
  spec.parameters = from.parameters;
  spec.context = OperationContext{.metadata = ContextMetadata(resource.metadata),
                                  .outputs = std::move(outputs)};
  if (const std::optional<StepSpec>& step = StepOf(from, type)) {
    spec.submit = step->submit;
    spec.operation = step->operation;
    spec.poll = step->poll;
    spec.recovery = step->recovery;
    spec.callback = step->callback;
    spec.gone = step->gone;
    if (spec.submit) ReadOutputsFromSecrets(from.outputs, &spec.submit->headers);
  }
  if (type == kDelete) {
    if (spec.submit && spec.submit->method.empty()) spec.submit->method = "DELETE";
  } else {
    spec.outputs = from.outputs;
  }
  spec.cancel = from.cancel;
  spec.retry = from.retry;
  spec.error_rules = from.error_rules;
  spec.active_deadline = from.active_deadline;
  spec.suspend = from.suspend;
  made.status.phase = phase::kPending;
  return made;
}

Result<std::vector<OwnedOperation>> ListOwned(const storage::Store& store, const ObjectName& name,
                                              const std::string& resource_uid) {
  Result<std::vector<AsyncOperation>> listed =
      List(store, name, "spec.resourceRef.uid", resource_uid);
  if (!listed.ok()) return listed.status();
  std::vector<OwnedOperation> owned;
  for (AsyncOperation& operation : *listed) {
    const auto label = operation.metadata.labels.find(kResourceUidLabel);
    if (label == operation.metadata.labels.end() || label->second != resource_uid) continue;
    OwnedOperation one;
    one.generation = GenerationOf(operation);
    one.operation = std::move(operation);
    SetDoubts(store, &one);
    owned.push_back(std::move(one));
  }
  // The Delete is the last one, whatever generation it says.
  std::stable_sort(owned.begin(), owned.end(),
                   [](const OwnedOperation& a, const OwnedOperation& b) {
                     const bool a_last = a.operation.spec.type == kDelete;
                     const bool b_last = b.operation.spec.type == kDelete;
                     return a_last != b_last ? b_last : a.generation < b.generation;
                   });
  return owned;
}

Result<std::vector<AsyncOperation>> ListNamesakes(const storage::Store& store,
                                                  const ObjectName& name) {
  Result<std::vector<AsyncOperation>> listed =
      List(store, name, "spec.resourceRef.name", name.name);
  if (!listed.ok()) return listed.status();
  std::erase_if(*listed, [](const AsyncOperation& operation) {
    return !operation.metadata.labels.contains(kResourceUidLabel);
  });
  return listed;
}

}  // namespace asyncops::reconciler
