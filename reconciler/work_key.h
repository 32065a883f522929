// What names an object to reconcile.
#ifndef ASYNCOPS_RECONCILER_WORK_KEY_H_
#define ASYNCOPS_RECONCILER_WORK_KEY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/packed_text.h"

namespace asyncops::reconciler {

// One object to reconcile.
struct WorkKey {
  enum class Kind : std::uint8_t { kResource, kOperation, kSystem };
  Kind kind = Kind::kOperation;
  std::string namespace_name;
  std::string name;

  auto operator<=>(const WorkKey&) const = default;
};

// "AsyncResource" and so on.
std::string_view KindName(WorkKey::Kind kind);

// The shard of a key: a stable hash of namespace and name, so that an object keeps its shard across
// restarts. `shards` is positive.
std::size_t ShardOf(const WorkKey& key, std::size_t shards);

// A key in a pointer: there may be 100,000 of them.
class PackedKey {
 public:
  // What a table with such keys is searched by.
  struct View {
    WorkKey::Kind kind;
    std::string_view namespace_name;
    std::string_view name;

    explicit View(const WorkKey& key)
        : kind(key.kind), namespace_name(key.namespace_name), name(key.name) {}
    explicit View(const PackedKey& key);

    auto operator<=>(const View&) const = default;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const View& key) const;
    std::size_t operator()(const PackedKey& key) const { return (*this)(View(key)); }
  };
  struct Equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return View(a) == View(b);
    }
  };

  explicit PackedKey(const WorkKey& key);
  WorkKey Unpacked() const;

 private:
  PackedText text_;  // the kind, the namespace, '/', the name
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_WORK_KEY_H_
