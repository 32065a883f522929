// A walk through the names that a list has to look at.
#ifndef ASYNCOPS_STORAGE_SQLITE_NAME_WALK_H_
#define ASYNCOPS_STORAGE_SQLITE_NAME_WALK_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "storage/name_list.h"

namespace asyncops::storage {

// Goes through two lists of names as if they were one, in order. Both outlive it, and no name is in
// both.
class NameWalk {
 public:
  struct Name {
    NameView view;
    std::optional<std::size_t> in_first = {};  // where it is in the first list, if it is
  };

  // Begins with the first name after `after`, and ends where the namespace does, unless it is "".
  NameWalk(const NameList& first, const NameList& second, NameView after,
           std::string_view namespace_name)
      : first_(first),
        second_(second),
        first_at_(first.UpperBound(after)),
        second_at_(second.UpperBound(after)),
        namespace_(namespace_name) {}

  // The next name; nothing after the last one.
  std::optional<Name> Next() {
    const bool in_first = first_at_ < first_.size();
    const bool in_second = second_at_ < second_.size();
    if (!in_first && !in_second) return std::nullopt;
    Name next;
    if (in_first && (!in_second || first_.at(first_at_) < second_.at(second_at_))) {
      next = {.view = first_.at(first_at_), .in_first = first_at_};
      ++first_at_;
    } else {
      next.view = second_.at(second_at_++);
    }
    if (!namespace_.empty() && next.view.namespace_name != namespace_) return std::nullopt;
    return next;
  }

 private:
  const NameList& first_;
  const NameList& second_;
  std::size_t first_at_;
  std::size_t second_at_;
  const std::string_view namespace_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_SQLITE_NAME_WALK_H_
