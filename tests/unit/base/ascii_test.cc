#include "base/ascii.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace asyncops {
namespace {

TEST(AsciiTest, ClassesHoldAsciiAlone) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool digit = byte >= 48 && byte <= 57;
    const bool upper = byte >= 65 && byte <= 90;
    const bool lower = byte >= 97 && byte <= 122;
    EXPECT_EQ(IsDigit(c), digit) << byte;
    EXPECT_EQ(IsLetter(c), upper || lower) << byte;
    EXPECT_EQ(IsAlphanumeric(c), digit || upper || lower) << byte;
    EXPECT_EQ(ToLower(c), upper ? static_cast<char>(byte + 32) : c) << byte;
    EXPECT_EQ(ToUpper(c), lower ? static_cast<char>(byte - 32) : c) << byte;
  }
}

TEST(AsciiTest, HexDigitsEndAtF) {
  EXPECT_TRUE(IsHexDigit('f'));
  EXPECT_TRUE(IsHexDigit('F'));
  EXPECT_FALSE(IsHexDigit('g'));
  EXPECT_FALSE(IsHexDigit('G'));
  EXPECT_FALSE(IsHexDigit('@'));
}

TEST(AsciiTest, TokenCharactersAreThoseOfHeaderNames) {
  for (const char c : std::string("X-Api_Key~1!")) EXPECT_TRUE(IsTokenCharacter(c)) << c;
  for (const char c : std::string(" \t:/()<>@,;\\\"[]?={}\r\n\0", 22)) {
    EXPECT_FALSE(IsTokenCharacter(c)) << static_cast<int>(c);
  }
}

TEST(AsciiTest, CaseIsFoldedInAsciiAlone) {
  EXPECT_EQ(LowerCase("Content-TYPE"), "content-type");
  EXPECT_EQ(LowerCase("\xc3\x84"), "\xc3\x84");
  EXPECT_TRUE(EqualsIgnoreCase("ETag", "etAG"));
  EXPECT_FALSE(EqualsIgnoreCase("ETag", "ETags"));
  EXPECT_FALSE(EqualsIgnoreCase("k", "\xe2\x84\xaa"));  // the Kelvin sign
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
}

TEST(AsciiTest, TrimsBlanksAtBothEndsAlone) {
  EXPECT_EQ(TrimBlanks(" \t a b\t"), "a b");
  EXPECT_EQ(TrimBlanks(" \t "), "");
  EXPECT_EQ(TrimBlanks(""), "");
  EXPECT_EQ(TrimBlanks("\na\n"), "\na\n");
}

TEST(AsciiTest, ParsesWholeNumbersOrNothing) {
  EXPECT_EQ(ParseInt64("-17"), -17);
  EXPECT_EQ(ParseInt64("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "1e3"}) {
    EXPECT_EQ(ParseInt64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace asyncops
