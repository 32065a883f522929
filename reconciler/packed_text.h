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
    const bool is_short = text.size() < kLong;
    const std::size_t head = is_short ? 1 : kLongHead;
    bytes_ = std::make_unique<char[]>(head + text.size());
    bytes_[0] = static_cast<char>(is_short ? text.size() : kLong);
    const auto size = static_cast<std::uint32_t>(text.size());
    if (!is_short) std::memcpy(&bytes_[1], &size, sizeof size);
    std::memcpy(&bytes_[head], text.data(), text.size());
  }

  bool empty() const { return bytes_ == nullptr; }
  std::string_view view() const {
    if (empty()) return {};
    const auto first = static_cast<unsigned char>(bytes_[0]);
    if (first < kLong) return {&bytes_[1], first};
    std::uint32_t size = 0;
    std::memcpy(&size, &bytes_[1], sizeof size);
    return {&bytes_[kLongHead], size};
  }

 private:
  static constexpr std::size_t kLong = 255;  // the first byte of one that is no shorter
  static constexpr std::size_t kLongHead = 1 + sizeof(std::uint32_t);

  std::unique_ptr<char[]> bytes_;  // its size, in one byte where it fits; then the text
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_PACKED_TEXT_H_
