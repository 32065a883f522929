#include "storage/sqlite/matched_names.h"

#include <optional>

namespace asyncops::storage {
namespace {

// What changed costs a row that is not shown, or a look-up by name: where it is a half of the
// names, the next few lists earn back what a search costs.
constexpr std::size_t kWornPart = 2;

// How many names of a list are of the namespace.
std::size_t CountIn(const NameList& names, std::string_view namespace_name) {
  // The least text behind all that begin with the namespace alone.
  const std::string behind = std::string(namespace_name) + '\0';
  return names.LowerBound({.namespace_name = behind, .name = {}}) -
         names.LowerBound({.namespace_name = namespace_name, .name = {}});
}

NameList Merged(const NameList& names, const MatchedNames::Changes& changes) {
  NameList others;
  for (const auto& [namespace_name, name] : changes.came)
    others.Append({.namespace_name = namespace_name, .name = name});
  NameList merged;
  NameWalk walk(names, others, {}, "");
  while (const std::optional<NameWalk::Name> next = walk.Next()) merged.Append(next->view);
  return merged;
}

}  // namespace

MatchedNames::MatchedNames(NameList names, Revision at)
    : moved_(names.size()), since_(at), through_(at) {
  const std::size_t size = names.size();
  found_ = std::make_shared<const Found>(Found{
      .names = std::move(names), .revisions = std::make_unique<std::atomic<Revision>[]>(size)});
}

MatchedNames::MatchedNames(const MatchedNames& before, const Changes& changes, Revision through)
    : found_(before.found_),
      moved_(before.moved_),
      moved_count_(before.moved_count_),
      came_(changes.came.empty() ? before.came_ : Merged(before.came_, changes)),
      since_(before.since_),
      through_(through) {
  for (const std::size_t place : changes.moved) {
    if (!moved_[place]) ++moved_count_;
    moved_[place] = true;
  }
}

std::size_t MatchedNames::bytes() const {
  return found_->names.bytes() + found_->names.size() * sizeof(Revision) + came_.bytes();
}

std::size_t MatchedNames::Count(std::string_view namespace_name) const {
  if (namespace_name.empty()) return size();
  return CountIn(found_->names, namespace_name) + CountIn(came_, namespace_name);
}

std::optional<std::size_t> MatchedNames::Known(const NameView& name) const {
  const std::size_t place = found_->names.LowerBound(name);
  if (place == found_->names.size() || found_->names.at(place) != name) return std::nullopt;
  return place;
}

NameWalk MatchedNames::After(const NameView& after, std::string_view namespace_name) const {
  const NameView start{.namespace_name = namespace_name, .name = {}};
  return {found_->names, came_, start < after ? after : start, namespace_name};
}

Revision MatchedNames::RevisionOf(const NameWalk::Name& name) const {
  if (!name.in_first || moved_[*name.in_first]) return 0;
  return found_->revisions[*name.in_first].load(std::memory_order_relaxed);
}

void MatchedNames::Learn(const NameWalk::Name& name, Revision revision) const {
  // What is newer is not that of the first state, which all that share the names begin with.
  if (!name.in_first || revision > since_) return;
  found_->revisions[*name.in_first].store(revision, std::memory_order_relaxed);
}

bool MatchedNames::IsWorn() const {
  return (came_.size() + moved_count_) * kWornPart > found_->names.size();
}

}  // namespace asyncops::storage
