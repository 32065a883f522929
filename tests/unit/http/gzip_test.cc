#include "apiserver/http/gzip.h"

#include <gtest/gtest.h>

#include "tests/support/gunzip.h"

namespace asyncops::http {
namespace {

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
    EXPECT_EQ(Gunzip(Gzip(text)), text) << text.size() << " bytes";
  }
}

TEST(GzipTest, AStreamDecompressesToTheSameBytesHoweverItIsCut) {
  const std::string text = Noise(100000) + std::string(300000, 'x');
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{1000}, text.size(), text.size() * 2}) {
    GzipStream stream;
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece)
      stream.Append(std::string_view(text).substr(at, piece), &out);
    stream.Append("", &out);
    stream.Finish(&out);
    EXPECT_EQ(Gunzip(out), text) << piece;
  }
  GzipStream nothing;
  std::string out;
  nothing.Finish(&out);
  EXPECT_EQ(Gunzip(out), "");
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
