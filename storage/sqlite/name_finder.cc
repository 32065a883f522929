#include "storage/sqlite/name_finder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "storage/sqlite/selector_index.h"

namespace asyncops::storage {
namespace {

// Sorting so many entries costs less than finding out what else could be done.
constexpr std::int64_t kAlwaysLookedUp = 500;
// Names that one search keeps for the rows that follow: some 60 KB for each list under way.
constexpr int kMaxFoundNames = 2048;
// What fills no page is looked up for it alone: it costs little, and there may be very many such
// lookups, of owners for example. Of what is more than the most, a few would fill the cache.
constexpr std::int64_t kFewestKept = 500;
constexpr std::int64_t kMostKept = 50'000;

// Whether one of the marks, ascending, is among the others, which are, too.
bool MeetAny(const Requirement& requirement, const std::vector<std::int64_t>& marks) {
  return std::any_of(requirement.begin(), requirement.end(), [&marks](std::int64_t mark) {
    return std::binary_search(marks.begin(), marks.end(), mark);
  });
}

// Whether the log of the transaction has all changes since, and reading them costs less than
// looking all names up again.
bool CanBeBroughtUp(const MatchedNames& names, const LogBounds& bounds) {
  return names.through() >= bounds.compacted &&
         bounds.newest - names.through() <= static_cast<Revision>(names.size());
}

}  // namespace

NameFinder::NameFinder(Database& database, MatchedCache& cache)
    : cache_(cache),
      statements_(database),
      changes_(database,
               "SELECT namespace, name, labels, fields FROM versions "
               "WHERE rev > ? AND resource = ?") {}

Result<Candidates> NameFinder::Find(const ListQuery& query, std::int64_t resource,
                                    const ListPosition& position, const LogBounds& bounds) {
  const Search search{.query = query,
                      .resource = resource,
                      .position = position,
                      .bounds = bounds,
                      .state = position.at == 0 ? bounds.newest : position.at};
  const Result<std::optional<Lead>> chosen = Choose(search);
  if (!chosen.ok()) return chosen.status();
  Candidates candidates;
  if (!*chosen) return candidates;
  const Lead& lead = **chosen;
  const bool worth_keeping = kFewestKept <= lead.entries && lead.entries <= kMostKept;
  if (lead.matched != nullptr && lead.matched->Covers(search.state)) {
    candidates.matched = lead.matched;
  } else if (lead.matched != nullptr) {
    auto matched = BringUp(search, lead);
    if (!matched.ok()) return matched.status();
    candidates.matched = *std::move(matched);
  } else if (position.at == 0 && worth_keeping && NameOf(query).empty()) {
    auto matched = LookUpAll(search, lead);
    if (!matched.ok()) return matched.status();
    candidates.matched = *std::move(matched);
  } else {
    auto found = LookUp(search, lead);
    if (!found.ok()) return found.status();
    candidates.found = *std::move(found);
  }
  return candidates;
}

std::vector<NameFinder::Lead> NameFinder::LeadsOf(const Search& search) {
  std::vector<Lead> leads;
  for (Requirement& marks : IndexedRequirements(search.query, search.resource)) {
    Lead& lead = leads.emplace_back();
    lead.key = {.resource = search.resource, .marks = std::move(marks)};
    // The index has the objects of one name sooner.
    if (!NameOf(search.query).empty()) continue;
    auto held = cache_.Find(lead.key);
    if (held == nullptr || held->since() > search.state) continue;
    // Where the index may be read again, what is worn gives way.
    const bool worn = search.position.at == 0 && held->IsWorn();
    if (worn || !(held->Covers(search.state) || CanBeBroughtUp(*held, search.bounds))) continue;
    lead.entries = static_cast<std::int64_t>(held->Count(NamespaceOf(search.query)));
    lead.matched = std::move(held);
  }
  std::stable_partition(leads.begin(), leads.end(),
                        [](const Lead& lead) { return lead.matched != nullptr; });
  return leads;
}

Result<std::optional<NameFinder::Lead>> NameFinder::Choose(const Search& search) {
  // A search of m entries sorts them; a scan of n rows passes n/m for each row of the page. They
  // cost the same where m is the root of n times the page. The newest revision stands for n.
  const double even = std::sqrt(static_cast<double>(search.bounds.newest) * search.position.rows);
  std::int64_t fewest = std::max(kAlwaysLookedUp, static_cast<std::int64_t>(even));
  std::optional<Lead> best;
  for (Lead& lead : LeadsOf(search)) {
    if (lead.matched == nullptr) {
      const Result<std::int64_t> entries = CountEntries(lead.key.marks, fewest);
      if (!entries.ok()) return entries.status();
      lead.entries = *entries;
    }
    if (lead.entries >= fewest) continue;
    fewest = lead.entries;
    best = std::move(lead);
  }
  return best;
}

Result<std::int64_t> NameFinder::CountEntries(const Requirement& requirement, std::int64_t limit) {
  std::int64_t entries = 0;
  for (const std::int64_t mark : requirement) {
    const ListScan count = PlanCount(mark, limit - entries);
    Cursor cursor(statements_.Of(count.sql));
    BindAll(count.values, &cursor);
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    entries += cursor.Int(0);
    if (entries >= limit) break;
  }
  return entries;
}

Result<std::shared_ptr<const MatchedNames>> NameFinder::BringUp(const Search& search,
                                                                const Lead& lead) {
  const MatchedNames& before = *lead.matched;
  MatchedNames::Changes changes;
  Cursor cursor(changes_);
  cursor.Bind(before.through()).Bind(search.resource);
  while (true) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    const NameView name{.namespace_name = cursor.View(0), .name = cursor.View(1)};
    if (const std::optional<std::size_t> place = before.Known(name)) {
      changes.moved.push_back(*place);
    } else if (!before.Came(name) &&
               MeetAny(lead.key.marks,
                       MarksOf(search.resource, EncodedPairs::OfText(cursor.View(2)),
                               EncodedPairs::OfText(cursor.View(3))))) {
      changes.came.emplace(name.namespace_name, name.name);
    }
  }
  auto matched = std::make_shared<const MatchedNames>(before, changes, search.bounds.newest);
  cache_.Keep(lead.key, matched);
  return matched;
}

Result<std::shared_ptr<const MatchedNames>> NameFinder::LookUpAll(const Search& search,
                                                                  const Lead& lead) {
  ListPosition all;
  all.rows = static_cast<int>(lead.entries);
  NameList names;
  ASYNCOPS_RETURN_IF_ERROR(
      ReadNames(PlanNames(ListQuery(), search.resource, all, lead.key.marks), &names).status());
  auto matched = std::make_shared<const MatchedNames>(std::move(names), search.bounds.newest);
  cache_.Keep(lead.key, matched);
  return matched;
}

Result<std::shared_ptr<const FoundNames>> NameFinder::LookUp(const Search& search,
                                                             const Lead& lead) {
  ListPosition first = search.position;
  first.rows = kMaxFoundNames;
  auto found = std::make_shared<FoundNames>();
  const Result<int> rows =
      ReadNames(PlanNames(search.query, search.resource, first, lead.key.marks), &found->names);
  if (!rows.ok()) return rows.status();
  found->all = *rows < kMaxFoundNames;
  return std::shared_ptr<const FoundNames>(std::move(found));
}

Result<int> NameFinder::ReadNames(const ListScan& scan, NameList* names) {
  Cursor cursor(statements_.Of(scan.sql));
  BindAll(scan.values, &cursor);
  for (int rows = 0;; ++rows) {
    const Result<bool> row = cursor.Step();
    if (!row.ok()) return row.status();
    if (!*row) {
      names->ShrinkToFit();
      return rows;
    }
    names->Append({.namespace_name = cursor.View(0), .name = cursor.View(1)});
  }
}

}  // namespace asyncops::storage
