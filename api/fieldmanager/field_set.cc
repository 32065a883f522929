#include "api/fieldmanager/field_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace asyncops::fieldmanager {
namespace {

bool IsBefore(const FieldNode& a, const FieldNode& b) { return a.element < b.element; }

template <class Nodes>
auto LowerBound(Nodes& nodes, std::string_view element) {
  return std::lower_bound(nodes.begin(), nodes.end(), element,
                          [](const FieldNode& n, std::string_view e) { return n.element < e; });
}

void CollectPaths(const FieldSet& set, Path* prefix, std::vector<Path>* out) {
  for (const FieldNode& node : set.nodes()) {
    prefix->push_back(node.element);
    if (node.is_member) out->push_back(*prefix);
    CollectPaths(node.below, prefix, out);
    prefix->pop_back();
  }
}

}  // namespace

FieldSet::FieldSet() = default;
FieldSet::FieldSet(const FieldSet&) = default;
FieldSet::FieldSet(FieldSet&&) noexcept = default;
FieldSet& FieldSet::operator=(const FieldSet&) = default;
FieldSet& FieldSet::operator=(FieldSet&&) noexcept = default;
FieldSet::~FieldSet() = default;

FieldSet::FieldSet(std::initializer_list<Path> paths) {
  for (const Path& path : paths) Insert(path);
}

Result<FieldSet> FieldSet::Decode(const Json& fields_v1) {
  if (!fields_v1.is_object()) {
    return BadRequest("a field set must be an object, got " +
                      std::string(JsonTypeName(fields_v1.type())));
  }
  FieldSet out;
  out.nodes_.reserve(fields_v1.as_object().size());
  for (const auto& [name, value] : fields_v1.as_object()) {
    if (name == ".") continue;
    Result<PathElement> element = ParseElement(name);
    if (!element.ok()) return element.status();
    if (element->empty()) continue;
    Result<FieldSet> below = Decode(value);
    if (!below.ok()) return below.status();
    const bool is_member = value.as_object().empty() || value.as_object().Has(".");
    out.Append({std::move(*element), is_member, std::move(*below)});
  }
  // Canonical keys may stand in another order than the texts that spelled them.
  out.Sort();
  return out;
}

Json FieldSet::Encode() const {
  std::vector<JsonMember> members;
  members.reserve(nodes_.size());
  for (const FieldNode& node : nodes_) {
    Json below = node.below.Encode();
    if (node.is_member && !node.below.empty()) below.Set(".", JsonObject());
    members.push_back({node.element, std::move(below)});
  }
  return JsonObject(std::move(members));
}

bool FieldSet::empty() const { return nodes_.empty(); }

std::size_t FieldSet::size() const {
  std::size_t count = 0;
  for (const FieldNode& node : nodes_) count += (node.is_member ? 1 : 0) + node.below.size();
  return count;
}

bool FieldSet::Has(const Path& path) const {
  const FieldSet* set = this;
  const FieldNode* node = nullptr;
  for (const PathElement& element : path) {
    node = set->Find(element);
    if (node == nullptr) return false;
    set = &node->below;
  }
  return node != nullptr && node->is_member;
}

void FieldSet::Insert(const Path& path) {
  FieldSet* set = this;
  FieldNode* node = nullptr;
  for (const PathElement& element : path) {
    node = &set->Descend(element);
    set = &node->below;
  }
  if (node != nullptr) node->is_member = true;
}

std::vector<Path> FieldSet::Paths() const {
  std::vector<Path> out;
  Path prefix;
  CollectPaths(*this, &prefix, &out);
  return out;
}

const FieldNode* FieldSet::Find(std::string_view element) const {
  const auto it = LowerBound(nodes_, element);
  return it != nodes_.end() && it->element == element ? &*it : nullptr;
}

FieldNode& FieldSet::Descend(std::string_view element) {
  const auto it = LowerBound(nodes_, element);
  if (it != nodes_.end() && it->element == element) return *it;
  return *nodes_.insert(it, FieldNode{PathElement(element), false, {}});
}

void FieldSet::Append(FieldNode node) {
  if (node.is_member || !node.below.empty()) nodes_.push_back(std::move(node));
}

void FieldSet::Sort() {
  if (!std::is_sorted(nodes_.begin(), nodes_.end(), IsBefore))
    std::stable_sort(nodes_.begin(), nodes_.end(), IsBefore);
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
    FieldNode& next = nodes_[i + 1];
    if (nodes_[i].element != next.element) continue;
    next.is_member = next.is_member || nodes_[i].is_member;
    next.below.Add(nodes_[i].below);
    nodes_[i].element.clear();
  }
  std::erase_if(nodes_, [](const FieldNode& node) { return node.element.empty(); });
}

void FieldSet::Add(const FieldSet& other) {
  if (nodes_.empty()) {
    nodes_ = other.nodes_;
    return;
  }
  std::vector<FieldNode> merged;
  merged.reserve(nodes_.size() + other.nodes_.size());
  auto own = nodes_.begin();
  for (const FieldNode& node : other.nodes_) {
    while (own != nodes_.end() && IsBefore(*own, node)) merged.push_back(std::move(*own++));
    if (own == nodes_.end() || IsBefore(node, *own)) {
      merged.push_back(node);
      continue;
    }
    own->is_member = own->is_member || node.is_member;
    own->below.Add(node.below);
    merged.push_back(std::move(*own++));
  }
  std::move(own, nodes_.end(), std::back_inserter(merged));
  nodes_ = std::move(merged);
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet out;
  auto theirs = other.nodes_.begin();
  for (const FieldNode& node : nodes_) {
    while (theirs != other.nodes_.end() && IsBefore(*theirs, node)) ++theirs;
    if (theirs == other.nodes_.end()) break;
    if (theirs->element != node.element) continue;
    out.Append({node.element, node.is_member && theirs->is_member,
                node.below.Intersection(theirs->below)});
  }
  return out;
}

void FieldSet::Remove(const FieldSet& other) {
  auto theirs = other.nodes_.begin();
  bool emptied = false;
  for (FieldNode& node : nodes_) {
    while (theirs != other.nodes_.end() && IsBefore(*theirs, node)) ++theirs;
    if (theirs == other.nodes_.end()) break;
    if (theirs->element != node.element) continue;
    node.is_member = node.is_member && !theirs->is_member;
    node.below.Remove(theirs->below);
    emptied = emptied || (!node.is_member && node.below.empty());
  }
  if (!emptied) return;
  std::erase_if(nodes_,
                [](const FieldNode& node) { return !node.is_member && node.below.empty(); });
}

bool FieldSet::operator==(const FieldSet& other) const { return nodes_ == other.nodes_; }

}  // namespace asyncops::fieldmanager
