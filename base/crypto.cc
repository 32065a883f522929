// The one file of base that knows OpenSSL.
#include "base/crypto.h"

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace asyncops {
namespace {

const unsigned char* Bytes(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string ToString(const unsigned char* bytes, unsigned int count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

// OpenSSL's digests fail only where the library itself is broken; a wrong hash would be worse.
[[noreturn]] void Die(const char* what) {
  std::fputs(what, stderr);
  std::abort();
}

std::string Digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &length, algorithm, nullptr) != 1)
    Die("asyncops: OpenSSL cannot compute a digest\n");
  return ToString(out.data(), length);
}

}  // namespace

std::string Sha256(std::string_view bytes) { return Digest(EVP_sha256(), bytes); }

std::string Sha512(std::string_view bytes) { return Digest(EVP_sha512(), bytes); }

std::string HmacSha256(std::string_view key, std::string_view bytes) {
  if (key.size() > INT_MAX) key = key.substr(0, INT_MAX);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int length = 0;
  // A null key would mean "the key of the last call".
  const char* key_data = key.empty() ? "" : key.data();
  if (HMAC(EVP_sha256(), key_data, static_cast<int>(key.size()), Bytes(bytes), bytes.size(),
           out.data(), &length) == nullptr)
    Die("asyncops: OpenSSL cannot compute an HMAC\n");
  return ToString(out.data(), length);
}

bool Ed25519Verify(std::string_view public_key, std::string_view bytes,
                   std::string_view signature) {
  constexpr std::size_t kKeyBytes = 32;
  constexpr std::size_t kSignatureBytes = 64;
  if (public_key.size() != kKeyBytes || signature.size() != kSignatureBytes) return false;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(public_key), public_key.size()),
      &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  if (key == nullptr || context == nullptr) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) return false;
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(bytes),
                          bytes.size()) == 1;
}

bool ConstantTimeEquals(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string RandomBytes(std::size_t count) {
  std::string out(count, '\0');
  // RAND_bytes takes an int.
  if (count > INT_MAX ||
      RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(count)) != 1)
    Die("asyncops: the system has no randomness\n");
  return out;
}

std::uint64_t StableHash(std::string_view bytes) {
  // Offset basis and prime of FNV-1a for 64 bits.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace asyncops
