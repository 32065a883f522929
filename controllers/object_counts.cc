#include "controllers/object_counts.h"

#include "api/scheme.h"

namespace asyncops::controllers {

ObjectCounts::ObjectCounts(const storage::Store& store) : store_(store) {
  for (const ResourceInfo& resource : AllResources()) {
    tallies_.push_back(std::make_unique<Tally>());
    tallies_.back()->resource = resource.GroupResource();
  }
  next_ = tallies_.size();
}

void ObjectCounts::Show(Tally* tally) {
  if (tally->counted) tally->shown.store(tally->rows + tally->changed, std::memory_order_relaxed);
}

void ObjectCounts::Start(storage::Revision from) {
  for (const auto& tally : tallies_) {
    tally->rows = 0;
    tally->changed = 0;
    tally->counted = false;
  }
  from_ = from;
  next_ = 0;
  after_namespace_.clear();
  after_name_.clear();
}

void ObjectCounts::Observe(const storage::Change& change) {
  if (change.type == storage::ChangeType::kModified) return;
  for (const auto& tally : tallies_) {
    if (tally->resource != change.record.key.resource) continue;
    tally->changed += change.type == storage::ChangeType::kAdded ? 1 : -1;
    Show(tally.get());
  }
}

Result<bool> ObjectCounts::Work() {
  if (next_ == tallies_.size()) return false;
  Tally& tally = *tallies_[next_];
  storage::ListQuery query;
  query.resource = tally.resource;
  query.at = from_;
  query.after_namespace = after_namespace_;
  query.after_name = after_name_;
  query.parts.json = false;
  const Result<storage::ListEnd> end =
      store_.ListRows(query, [&tally](const storage::ListRow& /*row*/) {
        ++tally.rows;
        return true;
      });
  // A state that is gone before it is counted stays uncounted until the next start.
  const bool gone = end.status().reason() == Reason::kExpired;
  if (!end.ok() && !gone) return end.status();
  if (!gone && end->more) {
    after_namespace_ = end->last_namespace;
    after_name_ = end->last_name;
    return true;
  }
  tally.counted = !gone;
  Show(&tally);
  ++next_;
  after_namespace_.clear();
  after_name_.clear();
  return true;
}

std::int64_t ObjectCounts::CountOf(std::string_view resource) const {
  for (const auto& tally : tallies_)
    if (tally->resource == resource) return tally->shown.load(std::memory_order_relaxed);
  return -1;
}

}  // namespace asyncops::controllers
