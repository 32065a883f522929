// A name in sixteen bytes, for tables with very many of them.
#ifndef ASYNCOPS_RECONCILER_NAME_DIGEST_H_
#define ASYNCOPS_RECONCILER_NAME_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/crypto.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// The beginning of a SHA-256: nobody finds two names that share it. A value.
class NameDigest {
 public:
  explicit NameDigest(const ObjectName& name) {
    const std::string digest = Sha256(name.namespace_name + "/" + name.name);
    std::memcpy(words_.data(), digest.data(), sizeof words_);
  }

  bool operator==(const NameDigest&) const = default;

  struct Hash {
    std::size_t operator()(const NameDigest& digest) const noexcept { return digest.words_[0]; }
  };

 private:
  std::array<std::uint64_t, 2> words_{};
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_NAME_DIGEST_H_
