#include "base/encoding.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

std::string AllBytes() {
  std::string out;
  for (int i = 0; i < 256; ++i) out.push_back(static_cast<char>(i));
  return out;
}

TEST(HexTest, IsLowerCase) {
  EXPECT_EQ(HexEncode(std::string_view("\x00\xAB\xFF", 3)), "00abff");
  EXPECT_EQ(HexEncode(""), "");
}

// RFC 4648, section 10.
TEST(Base64Test, EncodesTheVectorsOfTheRfc) {
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(Base64Encode(bytes), text);
    EXPECT_EQ(Base64Decode(text), bytes);
  }
}

TEST(Base64Test, AllBytesRoundTripInBothAlphabets) {
  EXPECT_EQ(Base64Decode(Base64Encode(AllBytes())), AllBytes());
  EXPECT_EQ(Base64UrlDecode(Base64UrlEncode(AllBytes())), AllBytes());
}

TEST(Base64Test, UrlAlphabetHasNoPaddingAndNoReservedCharacters) {
  EXPECT_EQ(Base64Encode("\xFB\xFF\xFE\xFF"), "+//+/w==");
  EXPECT_EQ(Base64UrlEncode("\xFB\xFF\xFE\xFF"), "-__-_w");
}

struct BadCase {
  std::string_view text;
  const char* why;
};

TEST(Base64Test, DecodingIsStrict) {
  constexpr BadCase kCases[] = {
      {"Zg", "no padding"},
      {"Zg=", "half the padding"},
      {"Zg===", "too much padding"},
      {"Z===", "one digit is no byte"},
      {"====", "padding alone"},
      {"Zg==Zg==", "padding inside"},
      {"Zm9v\n", "white space"},
      {"Zm 9v", "white space inside"},
      {"Zm-v", "the other alphabet"},
      {"Zh==", "spare bits that are not zero"},
      {"Zm9=", "spare bits that are not zero, two bytes"},
  };
  for (const BadCase& c : kCases) EXPECT_FALSE(Base64Decode(c.text)) << c.text << ": " << c.why;
}

TEST(Base64Test, UrlDecodingIsStrict) {
  constexpr BadCase kCases[] = {
      {"Zg==", "padding"},
      {"Z", "one digit is no byte"},
      {"Zm+v", "the other alphabet"},
      {"Zh", "spare bits that are not zero"},
  };
  for (const BadCase& c : kCases) EXPECT_FALSE(Base64UrlDecode(c.text)) << c.text << ": " << c.why;
}

TEST(PercentTest, DecodesOnce) {
  EXPECT_EQ(PercentDecode("a%20b%2Fc%2f", false), "a b/c/");
  EXPECT_EQ(PercentDecode("%2520", false), "%20") << "a second decoding would be a traversal hole";
  EXPECT_EQ(PercentDecode("%00", false), std::string(1, '\0'));
}

TEST(PercentTest, PlusIsASpaceInAQueryOnly) {
  EXPECT_EQ(PercentDecode("a+b%2B", true), "a b+");
  EXPECT_EQ(PercentDecode("a+b%2B", false), "a+b+");
}

TEST(PercentTest, BrokenEscapesAreRefused) {
  for (const std::string_view text : {"%", "%2", "a%2", "%zz", "%2z", "%-1", "%%20"})
    EXPECT_FALSE(PercentDecode(text, false)) << text;
}

TEST(PercentTest, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(PercentEncode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(PercentEncode("a b/?#&=+%\xC3\xA9"), "a%20b%2F%3F%23%26%3D%2B%25%C3%A9");
  EXPECT_EQ(PercentDecode(PercentEncode(AllBytes()), true), AllBytes());
}

TEST(Utf8Test, MeasuresOneSequence) {
  EXPECT_EQ(Utf8Length("a\xFF"), 1U);
  EXPECT_EQ(Utf8Length("\xC3\xA9z"), 2U);
  EXPECT_EQ(Utf8Length("\xE2\x82\xACz"), 3U);
  EXPECT_EQ(Utf8Length("\xF0\x9F\x98\x80z"), 4U);
  EXPECT_EQ(Utf8Length(""), 0U);
}

TEST(Utf8Test, RefusesWhatIsNotWellFormed) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("a\xC3\xA9\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"));
  constexpr BadCase kCases[] = {
      {"a\x80", "a continuation byte alone"},
      {"\xC0\x80", "overlong, two bytes"},
      {"\xC1\xBF", "overlong, two bytes"},
      {"\xE0\x9F\xBF", "overlong, three bytes"},
      {"\xF0\x8F\xBF\xBF", "overlong, four"},
      {"\xED\xA0\x80", "a surrogate"},
      {"\xF4\x90\x80\x80", "over U+10FFFF"},
      {"\xF5\x80\x80\x80", "no such lead"},
      {"\xC3", "cut short"},
      {"\xE2\x82z", "cut short by another character"},
  };
  for (const BadCase& c : kCases) EXPECT_FALSE(IsUtf8(c.text)) << c.why;
}

}  // namespace
}  // namespace asyncops
