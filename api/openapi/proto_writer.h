// Writes protobuf messages field by field: the little of the wire format that we need.
#ifndef ASYNCOPS_API_OPENAPI_PROTO_WRITER_H_
#define ASYNCOPS_API_OPENAPI_PROTO_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace asyncops::openapi {

// One message. As in proto3, zero values are left out by the caller's choice of what to add.
class ProtoWriter {
 public:
  // A string, bytes, or a message that another writer made.
  void AddBytes(std::uint32_t field, std::string_view bytes);
  void AddInteger(std::uint32_t field, std::int64_t value);
  void AddDouble(std::uint32_t field, double value);

  std::string Take();

 private:
  void AddVarint(std::uint64_t value);
  void AddTag(std::uint32_t field, std::uint32_t wire_type);

  std::string bytes_;
};

}  // namespace asyncops::openapi

#endif  // ASYNCOPS_API_OPENAPI_PROTO_WRITER_H_
