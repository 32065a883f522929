#include "api/fieldmanager/compare.h"

#include <algorithm>
#include <utility>

namespace asyncops::fieldmanager {
namespace {

const JsonObject& NoMembers() {
  static const JsonObject kNone;
  return kNone;
}

enum class Taken {
  kAll,      // each field on its own account
  kApplied,  // what a configuration says: leaves, empty maps, and what the schema does not name
};

FieldSet FieldsBelow(const FieldScope& scope, const Schema* schema, const Place& place,
                     const Json& value, Taken taken) {
  FieldSet out;
  const Shape shape = ShapeOf(schema, place, value);
  if (shape == Shape::kMap) {
    for (const auto& [name, member] : value.as_object()) {
      if (!IsOwnable(scope, place, name)) continue;
      const MemberSchema of = SchemaOfMember(schema, name);
      const Place below = place.Below(name);
      const bool is_empty_map = member.is_object() && member.as_object().empty();
      const bool is_member = taken == Taken::kAll || !of.is_named || is_empty_map ||
                             ShapeOf(of.schema, below, member) == Shape::kLeaf;
      out.Append({MemberElement(name), is_member && IsOwnableItself(place, name),
                  FieldsBelow(scope, of.schema, below, member, taken)});
    }
  }
  if (shape == Shape::kList) {
    for (ListItem& item : ItemsOf(*schema, value)) {
      FieldSet below = FieldsBelow(scope, schema->items.get(), place.Below(""), *item.value, taken);
      out.Append({std::move(item.element), true, std::move(below)});
    }
    out.Sort();
  }
  return out;
}

// One field in both objects.
struct Pair {
  const Schema* schema = nullptr;
  const Json& old_value;
  const Json& new_value;
};

class Comparer {
 public:
  explicit Comparer(const FieldScope& scope) : scope_(scope) {}

  // What differs below the field; `modified` says whether it differs itself, as a leaf.
  Comparison Values(const Pair& pair, const Place& place, bool* modified) const {
    const Shape before = ShapeOf(pair.schema, place, pair.old_value);
    const Shape after = ShapeOf(pair.schema, place, pair.new_value);
    if (before == after) {
      if (before == Shape::kMap) return Maps(pair, place);
      if (before == Shape::kList) return Lists(pair, place);
      *modified = !(pair.old_value == pair.new_value);
      return {};
    }
    // What became a leaf, or was one.
    *modified = true;
    return {.added = FieldsBelow(scope_, pair.schema, place, pair.new_value, Taken::kAll),
            .modified = {},
            .removed = FieldsBelow(scope_, pair.schema, place, pair.old_value, Taken::kAll)};
  }

  // Members are sorted: one pass over both.
  Comparison Maps(const Pair& pair, const Place& place) const {
    Comparison out;
    const JsonObject& before =
        pair.old_value.is_object() ? pair.old_value.as_object() : NoMembers();
    const JsonObject& after = pair.new_value.as_object();
    const JsonMember* a = before.begin();
    const JsonMember* b = after.begin();
    while (a != before.end() || b != after.end()) {
      const bool only_before = b == after.end() || (a != before.end() && a->name < b->name);
      const bool only_after = a == before.end() || (b != after.end() && b->name < a->name);
      const std::string& name = only_after ? b->name : a->name;
      if (IsOwnable(scope_, place, name)) {
        const Schema* schema = SchemaOfMember(pair.schema, name).schema;
        if (only_before) {
          out.removed.Append(Whole(schema, place, *a));
        } else if (only_after) {
          out.added.Append(Whole(schema, place, *b));
        } else if (!(a->value == b->value)) {
          // Most of an object stays as it was.
          Both({schema, a->value, b->value}, place.Below(name), MemberElement(name), &out);
        }
      }
      if (!only_after) ++a;
      if (!only_before) ++b;
    }
    return out;
  }

 private:
  FieldNode Whole(const Schema* schema, const Place& place, const JsonMember& member) const {
    return {MemberElement(member.name), IsOwnableItself(place, member.name),
            FieldsBelow(scope_, schema, place.Below(member.name), member.value, Taken::kAll)};
  }

  void Both(const Pair& pair, const Place& place, PathElement element, Comparison* out) const {
    bool modified = false;
    Comparison below = Values(pair, place, &modified);
    if (!below.added.empty()) out->added.Append({element, false, std::move(below.added)});
    if (!below.removed.empty()) out->removed.Append({element, false, std::move(below.removed)});
    out->modified.Append({std::move(element), modified, std::move(below.modified)});
  }

  Comparison Lists(const Pair& pair, const Place& place) const {
    Comparison out;
    const std::vector<ListItem> before = Grouped(*pair.schema, pair.old_value);
    const std::vector<ListItem> after = Grouped(*pair.schema, pair.new_value);
    const Schema* schema = pair.schema->items.get();
    const Place below = place.Below("");
    auto a = before.begin();
    auto b = after.begin();
    while (a != before.end() || b != after.end()) {
      const bool only_before = b == after.end() || (a != before.end() && a->element < b->element);
      const bool only_after = a == before.end() || (b != after.end() && b->element < a->element);
      if (only_before) {
        out.removed.Append(
            {a->element, true, FieldsBelow(scope_, schema, below, *a->value, Taken::kAll)});
      } else if (only_after) {
        out.added.Append(
            {b->element, true, FieldsBelow(scope_, schema, below, *b->value, Taken::kAll)});
      } else if (GroupSize(a, before.end()) == 1 && GroupSize(b, after.end()) == 1) {
        Both({schema, *a->value, *b->value}, below, b->element, &out);
      } else {
        out.modified.Append({b->element, !SameGroup(a, before.end(), b, after.end()), {}});
      }
      if (!only_after) a += GroupSize(a, before.end());
      if (!only_before) b += GroupSize(b, after.end());
    }
    return out;
  }

  using Items = std::vector<ListItem>::const_iterator;

  // The items by element; those of one element, which nothing else tells apart, stay in order.
  static std::vector<ListItem> Grouped(const Schema& schema, const Json& list) {
    std::vector<ListItem> items = ItemsOf(schema, list);
    std::stable_sort(items.begin(), items.end(),
                     [](const ListItem& a, const ListItem& b) { return a.element < b.element; });
    return items;
  }

  static std::ptrdiff_t GroupSize(Items first, Items end) {
    return std::find_if(first, end,
                        [first](const ListItem& item) { return item.element != first->element; }) -
           first;
  }

  static bool SameGroup(Items a, Items a_end, Items b, Items b_end) {
    return std::equal(a, a + GroupSize(a, a_end), b, b + GroupSize(b, b_end),
                      [](const ListItem& x, const ListItem& y) { return *x.value == *y.value; });
  }

  const FieldScope& scope_;
};

}  // namespace

FieldSet AppliedFields(const FieldScope& scope, const Json& configuration) {
  return FieldsBelow(scope, &scope.schema, {}, configuration, Taken::kApplied);
}

Comparison Compare(const FieldScope& scope, const Json* old_object, const Json& new_object) {
  const Json none;
  return Comparer(scope).Maps(
      {&scope.schema, old_object == nullptr ? none : *old_object, new_object}, {});
}

}  // namespace asyncops::fieldmanager
