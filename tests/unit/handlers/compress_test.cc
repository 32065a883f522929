#include "apiserver/handlers/compress.h"

#include <gtest/gtest.h>

#include "tests/support/gunzip.h"
#include "tests/unit/handlers/text_source.h"

namespace asyncops::apiserver {
namespace {

TEST(CompressTest, BodiesOver128KiBAlone) {
  const std::string at_limit(128u * 1024, 'x');
  const std::string over = at_limit + "x";
  for (const std::size_t piece : {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 20}) {
    const auto make = [piece](const std::string& text) {
      return piece == 0 ? Whole(text) : Streamed(text, piece);
    };
    http::Response small = make(at_limit);
    Compress(&small);
    EXPECT_EQ(small.source, nullptr);
    EXPECT_EQ(small.body, at_limit);
    EXPECT_FALSE(small.headers.Has("Content-Encoding"));
    EXPECT_FALSE(small.headers.Has("Vary"));
    http::Response large = make(over);
    Compress(&large);
    EXPECT_EQ(large.headers.Get("Content-Encoding"), "gzip");
    EXPECT_EQ(large.headers.Get("Vary"), "Accept-Encoding");
    EXPECT_EQ(Gunzip(BodyOf(&large)), over) << piece;
  }
}

TEST(CompressTest, ALongStreamGoesOnWhereItWasLookedInto) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + ",";
  http::Response list = Streamed(text, 4096);
  Compress(&list);
  EXPECT_NE(list.source, nullptr);
  EXPECT_EQ(Gunzip(BodyOf(&list)), text);
}

TEST(CompressTest, ABrokenStreamStaysBroken) {
  for (const std::size_t size : {100u, 300000u}) {
    http::Response list = Streamed(std::string(size, 'x'), 4096, http::BodySource::State::kAbort);
    Compress(&list);
    EXPECT_EQ(BodyOf(&list), "aborted") << size;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
