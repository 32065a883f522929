// Names of objects in the order of lists, held compactly.
#ifndef ASYNCOPS_STORAGE_NAME_LIST_H_
#define ASYNCOPS_STORAGE_NAME_LIST_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace asyncops::storage {

// Views of a namespace and a name.
struct NameView {
  std::string_view namespace_name;
  std::string_view name;

  auto operator<=>(const NameView&) const = default;
};

// A value: names by (namespace, name), each once. It has 8 bytes for each beside its text.
class NameList {
 public:
  // Adds a name behind the others; it is not less than these, and what equals the last one is left
  // out.
  void Append(const NameView& name);
  // Gives back the memory that Append took ahead.
  void ShrinkToFit();

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // What it takes of memory, about.
  std::size_t bytes() const { return text_.size() + entries_.size() * sizeof(Entry); }
  // The views end with the next change of the list.
  NameView at(std::size_t index) const;
  // How many are less than the name, and how many are not greater.
  std::size_t LowerBound(const NameView& name) const;
  std::size_t UpperBound(const NameView& name) const;
  bool Contains(const NameView& name) const { return LowerBound(name) != UpperBound(name); }

 private:
  // Where its parts begin in the text.
  struct Entry {
    std::uint32_t namespace_at = 0;
    std::uint32_t name_at = 0;
  };

  NameView ViewOf(const Entry* entry) const;

  std::string text_;
  std::vector<Entry> entries_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_NAME_LIST_H_
