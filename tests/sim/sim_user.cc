#include "tests/sim/sim_user.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "api/operations/v1alpha1/annotations.h"
#include "api/operations/v1alpha1/operation_action.h"
#include "api/scheme.h"
#include "base/rfc3339.h"
#include "tests/sim/declarations.h"

namespace asyncops::sim {
namespace {

constexpr std::chrono::seconds kPatience{5};
// Longer than the slowest retry, and than operations last.
constexpr std::chrono::hours kDeletionPatience{3};

const ResourceInfo& InfoOf(std::string_view plural) {
  const auto& all = AllResources();
  return *std::find_if(all.begin(), all.end(),
                       [plural](const ResourceInfo& each) { return each.plural == plural; });
}

// The registry answers on the writer's thread.
class Answer {
 public:
  Answer() : future_(promise_->get_future()) {}
  apiserver::WriteCallback Callback() {
    return [promise = promise_](Result<apiserver::WriteResult> result) {
      promise->set_value(std::move(result));
    };
  }
  Result<apiserver::WriteResult> Await() { return future_.get(); }

 private:
  // Shared with the callback, which may outlive this.
  const std::shared_ptr<std::promise<Result<apiserver::WriteResult>>> promise_ =
      std::make_shared<std::promise<Result<apiserver::WriteResult>>>();
  std::future<Result<apiserver::WriteResult>> future_;
};

bool IsOperation(const std::string& name) { return name.starts_with("op-"); }

std::string_view PluralOf(const std::string& name) {
  return IsOperation(name) ? "asyncoperations" : "asyncresources";
}

}  // namespace

SimUser::SimUser(World* world)
    : world_(*world), acts_(world->plan.acts.begin(), world->plan.acts.end()) {
  Prepare();
}

void SimUser::Prepare() {
  const Plan& plan = world_.plan;
  // The server may die meanwhile; whoever starts over comes to the same.
  while (!Create("namespaces", NamespaceObject()) || !Create("secrets", SecretObject(0)) ||
         !Create("externalsystems", SystemObject(plan))) {
    world_.Step(world_.clock.SteadyNow() + kPatience);
    if (!world_.journal.problems().empty()) return;
  }
}

// True where it is done, or cannot be done at all.
bool SimUser::Settle(std::string_view what, const std::string& name,
                     const Result<apiserver::WriteResult>& result) {
  world_.journal.Say("user: " + std::string(what) + " " + name + ": " +
                     (result.ok() ? "ok" : result.status().message()));
  if (result.ok()) return true;
  const Reason reason = result.status().reason();
  if (reason == Reason::kServiceUnavailable) return false;
  if (reason != Reason::kNotFound && reason != Reason::kAlreadyExists &&
      reason != Reason::kConflict) {
    world_.journal.Problem("a user's " + std::string(what) +
                           " was refused: " + result.status().ToString());
  }
  return true;
}

bool SimUser::Create(std::string_view plural, Json object) {
  const ResourceInfo& info = InfoOf(plural);
  const std::string name(object.StringAt({"metadata", "name"}));
  Answer answer;
  world_.registry().Create(info, plural == "namespaces" ? "" : std::string(kNamespace),
                           {std::move(object), {}}, {}, answer.Callback());
  return Settle("create", name, answer.Await());
}

bool SimUser::SetSecret(int number) {
  Json secret = SecretObject(number);
  const Json data = Json::Of({{"stringData", *secret.FindPath({"stringData"})}});
  return Create("secrets", std::move(secret)) && Merge("secrets", "cloud", data);
}

bool SimUser::Merge(std::string_view plural, const std::string& name, const Json& patch) {
  Answer answer;
  world_.registry().Patch(InfoOf(plural), std::string(kNamespace), name, "",
                          apiserver::PatchType::kMerge, {patch, {}}, {}, answer.Callback());
  return Settle("patch", name, answer.Await());
}

bool SimUser::Delete(std::string_view plural, const std::string& name) {
  Answer answer;
  world_.registry().Delete(
      InfoOf(plural), std::string(kNamespace), name,
      {.dry_run = false, .propagation_policy = "", .orphan_dependents = {}, .preconditions = {}},
      answer.Callback());
  return Settle("delete", name, answer.Await());
}

bool SimUser::Ask(const std::string& name, const std::string& verb, const Json& body) {
  const Result<OperationRequest> request = ReadOperationRequest(verb, body, world_.clock.Now());
  if (!request.ok()) {
    world_.journal.Problem(verb + " was refused: " + request.status().ToString());
    return true;
  }
  Answer answer;
  const auto change = [request = *request](Json present) {
    return RecordOperationRequest(request, std::move(present));
  };
  world_.registry().Change(InfoOf("asyncoperations"), std::string(kNamespace), name, verb, {},
                           change, answer.Callback());
  return Settle(verb, name, answer.Await());
}

bool SimUser::Do(const Act& act) {
  const std::string_view plural = PluralOf(act.name);
  const auto suspend = [](bool on) { return Json::Of({{"spec", Json::Of({{"suspend", on}})}}); };
  switch (act.kind) {
    case Act::Kind::kCreateOperation: return Create(plural, OperationObject(world_.plan, act.name));
    case Act::Kind::kCreateResource: return Create(plural, ResourceObject(world_.plan, act.name));
    case Act::Kind::kEdit:
      return Merge(
          plural, act.name,
          Json::Of({{"spec", Json::Of({{"parameters", Json::Of({{"size", act.value}})}})}}));
    case Act::Kind::kCancel: return Ask(act.name, "cancel", Json::Of({}));
    case Act::Kind::kSuspend: return Merge(plural, act.name, suspend(true));
    case Act::Kind::kResume: return Merge(plural, act.name, suspend(false));
    case Act::Kind::kRetry: {
      ++retries_[act.name];
      if (IsOperation(act.name)) return Ask(act.name, "retry", Json::Of({}));
      const Json annotations =
          Json::Of({{std::string(kRetryRequestedAt), FormatTime(world_.clock.Now())}});
      return Merge(plural, act.name,
                   Json::Of({{"metadata", Json::Of({{"annotations", annotations}})}}));
    }
    case Act::Kind::kDelete: return Delete(plural, act.name);
    case Act::Kind::kSetSecret: return SetSecret(act.value);
    case Act::Kind::kDropSecret: return Delete("secrets", act.name);
    case Act::Kind::kSetCloud: world_.cloud.SetCredential(act.value); return true;
  }
  return true;
}

SteadyTime SimUser::ActUntil() {
  while (!acts_.empty() && acts_.front().at <= world_.passed()) {
    if (Do(acts_.front())) {
      acts_.pop_front();
      continue;
    }
    // The server is away; what was to come afterwards comes afterwards.
    acts_.front().at = world_.passed() + kPatience;
    break;
  }
  const auto later = world_.clock.SteadyNow() + std::chrono::minutes(5);
  return acts_.empty() ? later : std::min<SteadyTime>(later, world_.TimeAt(acts_.front().at));
}

int SimUser::retries(const std::string& name) const {
  const auto found = retries_.find(name);
  return found == retries_.end() ? 0 : found->second;
}

void SimUser::Resolve() {
  for (const auto& [uid, seen] : world_.operations.seen()) {
    if (!seen.gone && seen.object.StringAt({"status", "state"}) == "OutcomeUnknown")
      ResolveOne(seen);
  }
}

void SimUser::ResolveOne(const SeenObject& seen) {
  const std::string name(seen.object.StringAt({"metadata", "name"}));
  const std::string correlation(seen.object.StringAt({"status", "correlationID"}));
  // Somebody who looks while a request may still arrive looks in vain.
  if (world_.network.Carries(correlation)) return;
  // With the deadline behind it, or a Secret away, a person has to say what is to become of it.
  if (world_.cloud.caller().HasNamed(correlation) && !world_.plan.cloud.calling.secrets_change &&
      world_.plan.active_deadline >= std::chrono::hours(24)) {
    world_.journal.Problem(name + " was called back, and is parked");
  }
  ++retries_[name];
  const std::string prefix = IdPrefix(world_.plan.cloud.face);
  for (const Thing& thing : world_.cloud.things()) {
    if (thing.uid != seen.uid || !thing.exists()) continue;
    Ask(name, "resolve",
        Json::Of({{"outcome", "Adopt"}, {"operationID", prefix + thing.operation}}));
    return;
  }
  const bool fail = world_.dice.Chance(200);
  Ask(name, "resolve", Json::Of({{"outcome", fail ? "Fail" : "Retry"}}));
}

void SimUser::DeleteAll() {
  for (const Watcher* watcher : {&world_.resources, &world_.operations}) {
    for (const auto& [uid, seen] : watcher->seen()) {
      if (seen.gone) continue;
      Delete(watcher == &world_.resources ? "asyncresources" : "asyncoperations",
             std::string(seen.object.StringAt({"metadata", "name"})));
    }
  }
}

void SimUser::Orphan() {
  for (const auto& [uid, seen] : world_.resources.seen()) {
    const std::string name(seen.object.StringAt({"metadata", "name"}));
    const bool deleted = !seen.object.StringAt({"metadata", "deletionTimestamp"}).empty();
    if (seen.gone || !deleted || orphaned_.contains(name)) continue;
    const Duration since = blocked_.try_emplace(name, world_.passed()).first->second;
    if (world_.passed() - since < kDeletionPatience) continue;
    if (Merge("asyncresources", name,
              Json::Of({{"spec", Json::Of({{"deletionPolicy", "Orphan"}})}})))
      orphaned_.insert(name);
  }
}

}  // namespace asyncops::sim
