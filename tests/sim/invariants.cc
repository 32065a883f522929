#include "tests/sim/invariants.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "api/schema/binding.h"
#include "base/limits.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"
#include "reconciler/operation_writer.h"
#include "tests/sim/declarations.h"

namespace asyncops::sim {
namespace {

namespace state = reconciler::state;
using reconciler::StoredOperation;

std::string Text(const SeenObject& seen, std::initializer_list<std::string_view> path) {
  return std::string(seen.object.StringAt(path));
}

std::string NameOf(const SeenObject& seen) { return Text(seen, {"metadata", "name"}); }

// Things that were made for the operation and did not fail.
int EffectsOf(const std::string& uid, World* world) {
  int count = 0;
  for (const Thing& thing : world->cloud.things()) {
    if (thing.uid == uid && !thing.undone) ++count;
  }
  return count;
}

// What the row says must stand in the status; conditions also tell what no row knows.
bool SaysTheSame(const AsyncOperationStatus& shown, AsyncOperationStatus row) {
  row.conditions = shown.conditions;
  row.observed_generation = shown.observed_generation;
  // The time of a turn to call is the gate's, which is in memory only.
  if (FindCondition(shown.conditions, reconciler::kThrottledCondition) != nullptr)
    row.next_attempt_time = shown.next_attempt_time;
  const auto& binding = AsyncOperationStatus::Binding();
  return binding.Encode(shown) == binding.Encode(row);
}

void CheckWaits(const StoredOperation& stored, World* world) {
  const storage::OperationRow& row = stored.state->row;
  const bool waits = row.state == state::kBackoff || row.state == state::kRecovering;
  const bool says = row.next_attempt_at || stored.operation.status.next_attempt_time;
  if (waits && !says && !stored.operation.spec.suspend)
    world->journal.Problem(row.name + " waits in " + row.state + " and does not say until when");
}

std::vector<storage::Attempt> HistoryOf(const SeenObject& seen, World* world) {
  std::vector<storage::Attempt> all;
  while (true) {
    const std::int64_t after = all.empty() ? 0 : all.back().sequence;
    const Result<std::vector<storage::Attempt>> page =
        world->store().engine().History(seen.uid, after, kMaxHistoryRows);
    if (!page.ok()) world->journal.Problem("no history of " + NameOf(seen));
    if (!page.ok() || page->empty()) return all;
    all.insert(all.end(), page->begin(), page->end());
  }
}

void CheckHistory(const SeenObject& seen, World* world) {
  const std::vector<storage::Attempt> history = HistoryOf(seen, world);
  std::set<int> ended;
  std::set<int> intended;
  std::int64_t sequence = 0;
  for (const storage::Attempt& attempt : history) {
    if (attempt.sequence != ++sequence)
      world->journal.Problem("the history of " + NameOf(seen) + " has a gap");
    if (attempt.action == "Intent") intended.insert(attempt.submission);
    // What a deadline ended while it might still run is in doubt again when more is asked of it.
    if (attempt.action == "Park") ended.erase(attempt.submission);
    // A request that comes after the end is refused, and that is told, too.
    const bool ends = state::IsFinal(attempt.state) && attempt.action != "Refuse";
    if (ends && !ended.insert(attempt.submission).second)
      world->journal.Problem(NameOf(seen) + " ended twice in one submission");
  }
  for (const Thing& thing : world->cloud.things()) {
    if (thing.uid != seen.uid) continue;
    const auto named = [&thing, &seen](int submission) {
      return thing.correlation == seen.uid + "-" + std::to_string(submission);
    };
    if (std::none_of(intended.begin(), intended.end(), named))
      world->journal.Problem("the history of " + NameOf(seen) + " does not know of " + thing.id);
  }
}

void CheckEffects(const SeenObject& seen, World* world) {
  if (Text(seen, {"spec", "type"}) != "Create") return;
  const std::string phase = Text(seen, {"status", "phase"});
  const int effects = EffectsOf(seen.uid, world);
  const std::string end =
      NameOf(seen) + " is " + phase + " with " + std::to_string(effects) + " effects";
  if (effects > 1) world->journal.Problem(end);
  if (phase == "Succeeded" && effects != 1) world->journal.Problem(end);
  if (phase == "Succeeded" && seen.object.FindPath({"status", "outputs", "volumeID"}) == nullptr)
    world->journal.Problem(NameOf(seen) + " succeeded without its outputs");
  if (phase == "Canceled" && effects != 0) world->journal.Problem(end);
  if (phase != "Failed" || effects == 0) return;
  const Json* failures = seen.object.FindPath({"status", "failureDetails"});
  const bool late = failures != nullptr && failures->is_array() && !failures->as_array().empty() &&
                    failures->as_array().front().StringAt({"code"}) == "DeadlineExceeded";
  if (!late) world->journal.Problem(end);
}

}  // namespace

void CheckMoment(World* world) {
  for (const auto& [uid, seen] : world->operations.seen()) {
    if (seen.gone) continue;
    const Result<StoredOperation> stored = reconciler::LoadOperation(
        world->store(), {.namespace_name = std::string(kNamespace), .name = NameOf(seen)});
    if (!stored.ok() || !stored->state) continue;
    const AsyncOperationStatus row = reconciler::ProjectStatus(stored->operation, &*stored->state,
                                                               std::nullopt, world->clock.Now());
    if (!SaysTheSame(stored->operation.status, row))
      world->journal.Problem("the status of " + NameOf(seen) + " is not what its row says");
    CheckWaits(*stored, world);
  }
}

void CheckRest(World* world, const SimUser& user) {
  CheckMoment(world);
  for (const auto& [uid, seen] : world->operations.seen()) {
    if (seen.gone) continue;
    const std::string resource = Text(seen, {"spec", "resourceRef", "name"});
    const int asked = user.retries(NameOf(seen)) + user.retries(resource);
    const bool create = Text(seen, {"spec", "type"}) == "Create";
    if (create && (seen.ends == 0 || seen.ends > 1 + asked))
      world->journal.Problem(NameOf(seen) + " ended " + std::to_string(seen.ends) + " times");
    CheckEffects(seen, world);
    CheckHistory(seen, world);
  }
  const Result<std::vector<storage::OutboxMessage>> outbox = world->store().engine().Outbox(10);
  if (!outbox.ok() || !outbox->empty()) world->journal.Problem("the outbox is not empty");
  world->operations.CompareWithList(world->store());
  world->resources.CompareWithList(world->store());
}

void CheckGone(World* world, const SimUser& user) {
  for (const Watcher* watcher : {&world->operations, &world->resources}) {
    for (const auto& [uid, seen] : watcher->seen()) {
      if (!seen.gone)
        world->journal.Problem(NameOf(seen) + " is still there: " + EncodeJson(seen.object));
    }
    watcher->CompareWithList(world->store());
  }
  for (const Thing& thing : world->cloud.things()) {
    const auto maker = world->operations.seen().find(thing.uid);
    if (maker == world->operations.seen().end()) {
      world->journal.Problem(thing.id + " was made for nobody");
      continue;
    }
    const std::string resource = Text(maker->second, {"spec", "resourceRef", "name"});
    if (!resource.empty() && !user.orphaned(resource) && thing.exists())
      world->journal.Problem(thing.id + " of " + resource + " was left behind");
  }
}

void CheckFiles(World* world) {
  for (const std::string& path : world->Files()) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    if (bytes.find(kToken) != std::string::npos)
      world->journal.Problem("the credential is in " + path.substr(path.rfind('/') + 1));
    for (const std::string& token : world->cloud.caller().tokens()) {
      if (bytes.find(token) != std::string::npos)
        world->journal.Problem("a token is in " + path.substr(path.rfind('/') + 1));
    }
  }
}

}  // namespace asyncops::sim
