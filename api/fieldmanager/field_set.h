// A set of fields of an object, as a tree of path elements: who owns what, and what a write
// changed.
#ifndef ASYNCOPS_API_FIELDMANAGER_FIELD_SET_H_
#define ASYNCOPS_API_FIELDMANAGER_FIELD_SET_H_

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "api/fieldmanager/path_element.h"
#include "base/json.h"

namespace asyncops::fieldmanager {

struct FieldNode;

// A value. A field is a member on its own account: having a field does not mean having the fields
// above or below it. The whole object (the empty path) is never a member.
class FieldSet {
 public:
  FieldSet();
  FieldSet(std::initializer_list<Path> paths);
  FieldSet(const FieldSet&);
  FieldSet(FieldSet&&) noexcept;
  FieldSet& operator=(const FieldSet&);
  FieldSet& operator=(FieldSet&&) noexcept;
  ~FieldSet();

  // Reads FieldsV1; an element of an unknown kind is passed over with all below it. BadRequest
  // where it is no tree of objects, or an element does not parse.
  static Result<FieldSet> Decode(const Json& fields_v1);
  // FieldsV1: nested objects, "." for a member that has others below it, {} for one that has none.
  Json Encode() const;

  bool empty() const;
  // The number of members.
  std::size_t size() const;
  bool Has(const Path& path) const;
  void Insert(const Path& path);
  // All members, a field before those below it.
  std::vector<Path> Paths() const;

  // Sorted by element; each is a member or has members below it.
  const std::vector<FieldNode>& nodes() const { return nodes_; }
  // The node of that element, or null.
  const FieldNode* Find(std::string_view element) const;
  // Adds a node behind the others, or passes over one that is no member and has none below it. Once
  // all are added, Sort() must be called where they did not come in order.
  void Append(FieldNode node);
  void Sort();

  // Set algebra by exact paths: members of either; of both; of this one and not of the other.
  void Add(const FieldSet& other);
  FieldSet Intersection(const FieldSet& other) const;
  void Remove(const FieldSet& other);

  bool operator==(const FieldSet& other) const;

 private:
  FieldNode& Descend(std::string_view element);

  std::vector<FieldNode> nodes_;
};

struct FieldNode {
  PathElement element;
  bool is_member = false;
  FieldSet below;

  bool operator==(const FieldNode&) const = default;
};

}  // namespace asyncops::fieldmanager

#endif  // ASYNCOPS_API_FIELDMANAGER_FIELD_SET_H_
