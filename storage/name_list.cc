#include "storage/name_list.h"

#include <algorithm>

namespace asyncops::storage {

void NameList::Append(const NameView& name) {
  if (!empty() && at(size() - 1) == name) return;
  const std::size_t start = text_.size();
  text_.append(name.namespace_name).append(name.name);
  entries_.push_back({.namespace_at = static_cast<std::uint32_t>(start),
                      .name_at = static_cast<std::uint32_t>(start + name.namespace_name.size())});
}

void NameList::ShrinkToFit() {
  text_.shrink_to_fit();
  entries_.shrink_to_fit();
}

NameView NameList::at(std::size_t index) const { return ViewOf(&entries_[index]); }

std::size_t NameList::LowerBound(const NameView& name) const {
  const auto less = [this, &name](const Entry& entry) { return ViewOf(&entry) < name; };
  const auto found = std::partition_point(entries_.begin(), entries_.end(), less);
  return static_cast<std::size_t>(found - entries_.begin());
}

std::size_t NameList::UpperBound(const NameView& name) const {
  const auto not_greater = [this, &name](const Entry& entry) { return ViewOf(&entry) <= name; };
  const auto found = std::partition_point(entries_.begin(), entries_.end(), not_greater);
  return static_cast<std::size_t>(found - entries_.begin());
}

NameView NameList::ViewOf(const Entry* entry) const {
  const std::string_view text = text_;
  const bool last = entry == &entries_.back();
  const std::size_t end = last ? text.size() : entry[1].namespace_at;
  return {.namespace_name = text.substr(entry->namespace_at, entry->name_at - entry->namespace_at),
          .name = text.substr(entry->name_at, end - entry->name_at)};
}

}  // namespace asyncops::storage
