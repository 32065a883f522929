// Protobuf messages read back, without their descriptions.
#ifndef ASYNCOPS_TESTS_UNIT_SCHEMA_PROTO_MESSAGE_READER_H_
#define ASYNCOPS_TESTS_UNIT_SCHEMA_PROTO_MESSAGE_READER_H_

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asyncops {

// A message read back: the values of each field in order. Bytes stay bytes; numbers are kept as
// their 64 bits.
class Message {
 public:
  explicit Message(std::string_view bytes) {
    while (!bytes.empty() && ok_) Read(&bytes);
  }

  bool ok() const { return ok_; }
  std::vector<std::string> All(std::uint32_t field) const {
    const auto it = bytes_.find(field);
    return it == bytes_.end() ? std::vector<std::string>() : it->second;
  }
  // The only value of the field; "" where there is none.
  std::string One(std::uint32_t field) const {
    const std::vector<std::string> all = All(field);
    EXPECT_LE(all.size(), 1u) << field;
    return all.empty() ? "" : all[0];
  }
  Message In(std::uint32_t field) const { return Message(One(field)); }
  std::optional<std::uint64_t> Number(std::uint32_t field) const {
    const auto it = numbers_.find(field);
    return it == numbers_.end() ? std::nullopt : std::optional(it->second);
  }
  // The value (2) of the item of a repeated Named... whose name (1) it is.
  Message Named(std::uint32_t field, std::string_view name) const {
    for (const std::string& item : All(field)) {
      const Message message(item);
      if (message.One(1) == name) return message.In(2);
    }
    ADD_FAILURE() << "no " << name << " in field " << field;
    return Message("");
  }

 private:
  std::uint64_t Varint(std::string_view* bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes->front());
      bytes->remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    ok_ = false;
    return 0;
  }

  void Read(std::string_view* bytes) {
    const std::uint64_t tag = Varint(bytes);
    const auto field = static_cast<std::uint32_t>(tag >> 3U);
    const std::uint64_t type = tag & 7U;
    if (type == 0) {
      numbers_[field] = Varint(bytes);
    } else if (type == 1 && bytes->size() >= 8) {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < 8; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>((*bytes)[i])) << (8 * i);
      bytes->remove_prefix(8);
      numbers_[field] = value;
    } else if (type == 2) {
      const std::uint64_t length = Varint(bytes);
      ok_ = ok_ && length <= bytes->size();
      if (!ok_) return;
      bytes_[field].emplace_back(bytes->substr(0, length));
      bytes->remove_prefix(length);
    } else {
      ok_ = false;
    }
  }

  bool ok_ = true;
  std::map<std::uint32_t, std::vector<std::string>> bytes_;
  std::map<std::uint32_t, std::uint64_t> numbers_;
};

inline double AsDouble(std::optional<std::uint64_t> bits) {
  return bits ? std::bit_cast<double>(*bits) : -1;
}

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_UNIT_SCHEMA_PROTO_MESSAGE_READER_H_
