#include "base/crypto.h"

#include <charconv>
#include <gtest/gtest.h>

#include "base/encoding.h"

namespace asyncops {
namespace {

std::string FromHex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned int byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

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

// RFC 8032, 7.1, TEST 2.
TEST(CryptoTest, Ed25519AcceptsTheSignatureOfItsKeyAlone) {
  const std::string key =
      FromHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const std::string signature = FromHex(
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f1"
      "1d8c387b2eaeb4302aeeb00d291612bb0c00");
  const std::string message = "\x72";
  EXPECT_TRUE(Ed25519Verify(key, message, signature));
  EXPECT_FALSE(Ed25519Verify(key, "\x73", signature));
  for (const std::size_t at : {0U, 31U, 32U, 63U}) {
    std::string changed = signature;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(Ed25519Verify(key, message, changed)) << at;
  }
  std::string other_key = key;
  other_key[0] = static_cast<char>(other_key[0] ^ 1);
  EXPECT_FALSE(Ed25519Verify(other_key, message, signature));
  EXPECT_FALSE(Ed25519Verify(key.substr(1), message, signature));
  EXPECT_FALSE(Ed25519Verify(key, message, signature.substr(1)));
  EXPECT_FALSE(Ed25519Verify("", "", ""));
}

}  // namespace
}  // namespace asyncops
