#include "base/crypto.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace asyncops {
namespace {

// FIPS 180-4 examples.
TEST(CryptoTest, Sha256MatchesTheStandardsVectors) {
  EXPECT_EQ(HexEncode(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexEncode(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexEncode(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(CryptoTest, Sha512MatchesTheStandardsVector) {
  EXPECT_EQ(HexEncode(Sha512("abc")),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

// RFC 4231, test cases 1, 2 and 6.
TEST(CryptoTest, HmacSha256MatchesTheRfcsVectors) {
  EXPECT_EQ(HexEncode(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HexEncode(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HexEncode(HmacSha256(std::string(131, '\xaa'),
                                 "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(CryptoTest, HmacWithAnEmptyKeyForgetsTheKeyBefore) {
  const std::string empty_key = HmacSha256({}, "text");
  static_cast<void>(HmacSha256("another key", "text"));
  EXPECT_EQ(HmacSha256({}, "text"), empty_key);
}

TEST(CryptoTest, ConstantTimeEqualsIsEquality) {
  EXPECT_TRUE(ConstantTimeEquals("", ""));
  EXPECT_TRUE(ConstantTimeEquals("secret", "secret"));
  EXPECT_FALSE(ConstantTimeEquals("secret", "secreT"));
  EXPECT_FALSE(ConstantTimeEquals("secret", "secre")) << "a prefix is not equal";
  EXPECT_FALSE(ConstantTimeEquals("", "s"));
}

TEST(CryptoTest, RandomBytesHaveTheLengthAndDoNotRepeat) {
  EXPECT_EQ(RandomBytes(0), "");
  EXPECT_EQ(RandomBytes(32).size(), 32U);
  EXPECT_NE(RandomBytes(32), RandomBytes(32));
}

// Vectors of the FNV authors.
TEST(CryptoTest, StableHashIsFnv1a) {
  EXPECT_EQ(StableHash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8ULL);
}

}  // namespace
}  // namespace asyncops
