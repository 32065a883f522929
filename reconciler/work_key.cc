#include "reconciler/work_key.h"

#include <functional>

#include "base/crypto.h"

namespace asyncops::reconciler {
namespace {

std::string Join(const WorkKey& key) {
  std::string text(1, static_cast<char>(key.kind));
  return text.append(key.namespace_name).append("/").append(key.name);
}

}  // namespace

std::string_view KindName(WorkKey::Kind kind) {
  if (kind == WorkKey::Kind::kResource) return "AsyncResource";
  return kind == WorkKey::Kind::kSystem ? "ExternalSystem" : "AsyncOperation";
}

std::size_t ShardOf(const WorkKey& key, std::size_t shards) {
  return static_cast<std::size_t>(StableHash(key.namespace_name + "/" + key.name) % shards);
}

PackedKey::PackedKey(const WorkKey& key) : text_(Join(key)) {}

// A namespace has no '/'.
PackedKey::View::View(const PackedKey& key)
    : kind(static_cast<WorkKey::Kind>(key.text_.view().front())),
      namespace_name(key.text_.view().substr(1, key.text_.view().find('/') - 1)),
      name(key.text_.view().substr(namespace_name.size() + 2)) {}

WorkKey PackedKey::Unpacked() const {
  const View view(*this);
  return {.kind = view.kind,
          .namespace_name = std::string(view.namespace_name),
          .name = std::string(view.name)};
}

std::size_t PackedKey::Hash::operator()(const View& key) const {
  const std::hash<std::string_view> hash;
  // Names differ, namespaces seldom do.
  return hash(key.name) ^ (hash(key.namespace_name) * 31) ^ static_cast<std::size_t>(key.kind);
}

}  // namespace asyncops::reconciler
