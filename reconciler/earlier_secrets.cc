#include "reconciler/earlier_secrets.h"

#include <set>
#include <string_view>
#include <utility>

#include "reconciler/annotations.h"

namespace asyncops::reconciler {
namespace {

// "NAME/KEY,NAME/KEY": names and keys of Secrets hold neither.
constexpr char kBetween = ',';
constexpr char kBeforeKey = '/';

using Targets = std::set<std::pair<std::string, std::string>>;

void AddOutputs(const std::vector<OutputSpec>& outputs, Targets* targets) {
  for (const OutputSpec& output : outputs) {
    if (output.to_secret) targets->emplace(output.to_secret->name, output.to_secret->key);
  }
}

}  // namespace

void NoteEarlierSecrets(const AsyncResource& resource, const std::vector<OwnedOperation>& before,
                        AsyncOperation* made) {
  Targets targets;
  AddOutputs(resource.spec.outputs, &targets);
  for (const OwnedOperation& owned : before) {
    AddOutputs(owned.operation.spec.outputs, &targets);
    for (const SecretKeyRef& earlier : EarlierSecrets(owned.operation))
      targets.emplace(earlier.name, earlier.key);
  }
  Targets own;
  AddOutputs(made->spec.outputs, &own);
  std::string noted;
  for (const auto& target : targets) {
    if (own.contains(target)) continue;
    if (!noted.empty()) noted += kBetween;
    noted += target.first + kBeforeKey + target.second;
  }
  if (!noted.empty()) made->metadata.annotations.emplace(kEarlierSecrets, std::move(noted));
}

std::vector<SecretKeyRef> EarlierSecrets(const AsyncOperation& operation) {
  std::vector<SecretKeyRef> secrets;
  std::string_view rest = AnnotationOf(operation.metadata, kEarlierSecrets);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(kBetween));
    rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : one.size());
    const std::size_t slash = one.find(kBeforeKey);
    if (slash == std::string_view::npos) continue;
    secrets.push_back({std::string(one.substr(0, slash)), std::string(one.substr(slash + 1))});
  }
  return secrets;
}

}  // namespace asyncops::reconciler
