#include "tests/sim/watcher.h"

#include <set>

namespace asyncops::sim {
namespace {

constexpr int kPage = 500;

}  // namespace

void Watcher::Follow(const storage::Store& store) {
  while (true) {
    const Result<storage::ChangeBatch> batch = store.Changes(resource_, "", last_, kPage);
    if (!batch.ok()) {
      journal_.Problem("a watch of " + resource_ + " from " + std::to_string(last_) +
                       " cannot go on: " + batch.status().ToString());
      return;
    }
    for (const std::shared_ptr<const storage::Change>& change : batch->changes) Take(*change);
    if (batch->through < last_) journal_.Problem("the version of a watch went back");
    last_ = batch->through;
    if (batch->changes.empty()) return;
  }
}

void Watcher::Take(const storage::Change& change) {
  const storage::Record& record = change.record;
  if (record.revision <= last_)
    journal_.Problem("a watch told of version " + std::to_string(record.revision) + " again");
  const bool known = seen_.contains(record.uid) && !seen_.at(record.uid).gone;
  if (known == (change.type == storage::ChangeType::kAdded))
    journal_.Problem("a watch told of " + record.key.name + " in the wrong order");
  last_ = record.revision;
  const Result<Json> object = ParseJson(record.json);
  if (!object.ok()) return journal_.Problem("a damaged object: " + record.key.name);
  SeenObject& seen = seen_[record.uid];
  const std::string before(seen.object.StringAt({"status", "completionTime"}));
  const std::string after(object->StringAt({"status", "completionTime"}));
  if (before.empty() && !after.empty()) ++seen.ends;
  const std::string state(seen.object.StringAt({"status", "state"}));
  const std::string new_state(object->StringAt({"status", "state"}));
  if (state != new_state && !new_state.empty())
    journal_.Say(record.key.name + ": " + state + " -> " + new_state);
  seen.uid = record.uid;
  seen.object = *object;
  seen.revision = record.revision;
  seen.gone = change.type == storage::ChangeType::kDeleted;
}

void Watcher::CompareWithList(const storage::Store& store) const {
  storage::ListQuery query;
  query.resource = resource_;
  const Result<storage::ListPage> page = store.List(query);
  if (!page.ok()) return journal_.Problem("a list failed: " + page.status().ToString());
  std::set<std::string> present;
  for (const storage::Record& record : page->rows) {
    present.insert(record.uid);
    const auto found = seen_.find(record.uid);
    if (found == seen_.end() || found->second.gone || found->second.revision != record.revision)
      journal_.Problem("a watch of " + resource_ + " missed " + record.key.name);
  }
  for (const auto& [uid, seen] : seen_) {
    if (!seen.gone && !present.contains(uid))
      journal_.Problem("a watch of " + resource_ + " holds what is gone");
  }
}

}  // namespace asyncops::sim
