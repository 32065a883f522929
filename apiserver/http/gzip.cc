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

struct GzipStream::State {
  z_stream stream{};
};

GzipStream::GzipStream() : state_(std::make_unique<State>()) {
  // Fails for want of memory alone.
  if (deflateInit2(&state_->stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindowBits, kDefaultMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
}

GzipStream::~GzipStream() { deflateEnd(&state_->stream); }

void GzipStream::Run(std::string_view bytes, bool finish, std::string* out) {
  z_stream& stream = state_->stream;
  int result = Z_OK;
  do {
    const std::size_t piece = std::min(bytes.size(), kMaxPiece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(piece);
    const std::size_t before = out->size();
    const std::size_t room =
        std::min<std::size_t>(deflateBound(&stream, static_cast<uLong>(piece)), kMaxPiece);
    out->resize(before + room);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + before);
    stream.avail_out = static_cast<uInt>(room);
    result = deflate(&stream, finish && piece == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(piece - stream.avail_in);
    out->resize(before + room - stream.avail_out);
  } while (finish ? result != Z_STREAM_END : !bytes.empty());
}

std::string Gzip(std::string_view bytes) {
  std::string out;
  GzipStream stream;
  stream.Append(bytes, &out);
  stream.Finish(&out);
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
