// What was looked up in the index of selectors, kept for the lists that follow.
#ifndef ASYNCOPS_STORAGE_SQLITE_MATCHED_NAMES_H_
#define ASYNCOPS_STORAGE_SQLITE_MATCHED_NAMES_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/name_list.h"
#include "storage/record.h"
#include "storage/sqlite/name_walk.h"

namespace asyncops::storage {

// Every object that had a mark of a requirement in some state of a span of revisions, and others: a
// name that was found stays, so that each state of the span finds its own. Immutable, but for the
// revisions that readers tell it; safe for use from several threads.
class MatchedNames {
 public:
  // What later changes say.
  struct Changes {
    // Namespaces and names that have a mark and were not known.
    std::set<std::pair<std::string, std::string>> came;
    // Known ones that have another revision, or are gone.
    std::vector<std::size_t> moved;  // by Known
  };

  // What the index has in the state at this revision, where the span begins and ends.
  MatchedNames(NameList names, Revision at);
  // What is known of a longer span: `changes` has all that there were up to and including
  // `through`.
  MatchedNames(const MatchedNames& before, const Changes& changes, Revision through);

  Revision since() const { return since_; }
  Revision through() const { return through_; }
  bool Covers(Revision state) const { return since_ <= state && state <= through_; }

  std::size_t size() const { return found_->names.size() + came_.size(); }
  // What it takes of memory, about.
  std::size_t bytes() const;
  // How many there are of a namespace; "" for all.
  std::size_t Count(std::string_view namespace_name) const;
  // Whether it came after the first state of the span.
  bool Came(const NameView& name) const { return came_.Contains(name); }
  // The place of a name that was found in the first state; nothing where it was not.
  std::optional<std::size_t> Known(const NameView& name) const;

  // As NameWalk; this and the namespace's text outlive it.
  NameWalk After(const NameView& after, std::string_view namespace_name) const;
  // The name's revision, the same in all states of the span; 0 where it is not, or nobody told it.
  Revision RevisionOf(const NameWalk::Name& name) const;
  // Tells which revision the name had in a state of the span.
  void Learn(const NameWalk::Name& name, Revision revision) const;
  // Whether so much changed since the index was read that reading it again is better.
  bool IsWorn() const;

 private:
  // Shared by all that were made from it.
  struct Found {
    NameList names;
    // Of each in the first state of the span; 0 for unknown.
    std::unique_ptr<std::atomic<Revision>[]> revisions;
  };

  std::shared_ptr<const Found> found_;
  std::vector<bool> moved_;  // of each that was found: whether it changed since
  std::size_t moved_count_ = 0;
  NameList came_;  // none of these was found
  Revision since_;
  Revision through_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_MATCHED_NAMES_H_
