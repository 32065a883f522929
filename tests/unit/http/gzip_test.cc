#include "apiserver/http/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace asyncops::http {
namespace {

std::string Gunzip(const std::string& bytes, std::size_t size) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string Noise(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < size) {
    state = state * 1664525u + 1013904223u;
    text.push_back(static_cast<char>(state >> 24));
  }
  return text;
}

TEST(GzipTest, DecompressesToTheSameBytes) {
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string(1 << 20, 'x'), Noise(300000)}) {
    EXPECT_EQ(Gunzip(Gzip(text), text.size()), text) << text.size() << " bytes";
  }
}

TEST(GzipTest, EqualBytesGiveEqualOutput) {
  const std::string text(200000, 'y');
  EXPECT_EQ(Gzip(text), Gzip(text));
  EXPECT_LT(Gzip(text).size(), 5000u);
}

TEST(GzipTest, AcceptEncodingIsRead) {
  struct Case {
    const char* value;
    bool accepts;
    const char* reason;
  };
  const Case cases[] = {
      {"gzip", true, "kubectl"},
      {"", false, "no header"},
      {"deflate, gzip;q=1.0, *;q=0.5", true, "with a quality"},
      {"GZip", true, "codings have no case"},
      {"gzip;q=0", false, "refused by quality"},
      {"gzip; q=0.000", false, "refused by quality, written long"},
      {"gzip;q=0.001", true, "smallest quality"},
      {"*", true, "anything"},
      {"*;q=0, gzip", true, "gzip alone"},
      {"gzip;q=0, *", false, "anything but gzip"},
      {"identity", false, "another coding"},
      {"gzipped", false, "another coding that begins alike"},
      {"x-gzip", true, "old name"},
  };
  for (const Case& c : cases) EXPECT_EQ(AcceptsGzip(c.value), c.accepts) << c.reason;
}

}  // namespace
}  // namespace asyncops::http
