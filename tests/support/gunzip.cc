#include "tests/support/gunzip.h"

#include <array>
#include <zlib.h>

namespace asyncops {

std::string Gunzip(std::string_view bytes) {
  z_stream stream{};
  // The largest window, and 16 for a gzip header in place of zlib's.
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return "not gzip";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 1u << 16> piece{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? out : "not gzip";
}

}  // namespace asyncops
