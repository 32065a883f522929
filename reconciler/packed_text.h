// A text in a pointer, for tables with very many of them.
#ifndef ASYNCOPS_RECONCILER_PACKED_TEXT_H_
#define ASYNCOPS_RECONCILER_PACKED_TEXT_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace asyncops::reconciler {

// Immutable, of less than 4 GiB. An empty one has no memory of its own.
class PackedText {
 public:
  PackedText() = default;
  explicit PackedText(std::string_view text) {
    if (text.empty()) return;
    const auto size = static_cast<std::uint32_t>(text.size());
    bytes_ = std::make_unique<char[]>(sizeof size + size);
    std::memcpy(bytes_.get(), &size, sizeof size);
    std::memcpy(bytes_.get() + sizeof size, text.data(), size);
  }

  bool empty() const { return bytes_ == nullptr; }
  std::string_view view() const {
    if (empty()) return {};
    std::uint32_t size = 0;
    std::memcpy(&size, bytes_.get(), sizeof size);
    return {bytes_.get() + sizeof size, size};
  }

 private:
  std::unique_ptr<char[]> bytes_;  // its size, then the text
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_PACKED_TEXT_H_
