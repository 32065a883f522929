#include "apiserver/http/gzip.h"

#include <algorithm>
#include <cstdlib>
#include <zlib.h>

#include "base/ascii.h"

namespace asyncops::http {
namespace {

// deflateInit2's window bits: the largest window, and 16 for a gzip header in place of zlib's.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kDefaultMemoryLevel = 8;
// avail_in is an unsigned int; larger input goes in pieces.
constexpr std::size_t kMaxPiece = 1u << 30;

bool IsGzip(std::string_view coding) {
  constexpr std::string_view kNames[] = {"gzip", "x-gzip"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [coding](std::string_view name) { return EqualsIgnoreCase(name, coding); });
}

// Whether the parameters of a coding, as in "; q=0.5", leave it a quality above 0.
bool IsWanted(std::string_view parameters) {
  const std::size_t q = parameters.find("q=");
  if (q == std::string_view::npos) return true;
  return parameters.substr(q + 2).find_first_of("123456789") != std::string_view::npos;
}

}  // namespace

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  // Fails for want of memory alone.
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindowBits, kDefaultMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  std::size_t written = 0;
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    const std::size_t piece = std::min(bytes.size(), kMaxPiece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(piece);
    const std::size_t room = std::min(out.size() - written, kMaxPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = static_cast<uInt>(room);
    result = deflate(&stream, piece == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(piece - stream.avail_in);
    written += room - stream.avail_out;
    if (written == out.size() && result != Z_STREAM_END) out.resize(out.size() + kMaxPiece / 1024);
  }
  deflateEnd(&stream);
  out.resize(written);
  return out;
}

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    const std::size_t end = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view item = accept_encoding.substr(0, end);
    accept_encoding.remove_prefix(std::min(end + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(item.find(';'), item.size());
    const std::string_view coding = TrimBlanks(item.substr(0, semicolon));
    const bool wanted = IsWanted(item.substr(semicolon));
    if (IsGzip(coding)) return wanted;
    if (coding == "*") any = wanted;
  }
  return any;
}

}  // namespace asyncops::http
