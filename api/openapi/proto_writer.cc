#include "api/openapi/proto_writer.h"

#include <bit>
#include <utility>

namespace asyncops::openapi {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kBytes = 2;

}  // namespace

void ProtoWriter::AddBytes(std::uint32_t field, std::string_view bytes) {
  AddTag(field, kBytes);
  AddVarint(bytes.size());
  bytes_.append(bytes);
}

void ProtoWriter::AddInteger(std::uint32_t field, std::int64_t value) {
  AddTag(field, kVarint);
  AddVarint(static_cast<std::uint64_t>(value));
}

void ProtoWriter::AddDouble(std::uint32_t field, double value) {
  AddTag(field, kFixed64);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes_.push_back(static_cast<char>((bits >> shift) & 0xFFU));
}

std::string ProtoWriter::Take() { return std::move(bytes_); }

void ProtoWriter::AddVarint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
    value >>= 7U;
  }
  bytes_.push_back(static_cast<char>(value));
}

void ProtoWriter::AddTag(std::uint32_t field, std::uint32_t wire_type) {
  AddVarint((field << 3U) | wire_type);
}

}  // namespace asyncops::openapi
