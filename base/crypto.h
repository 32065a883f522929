// Hashes and signatures; the adapter of OpenSSL's libcrypto is crypto.cc.
#ifndef ASYNCOPS_BASE_CRYPTO_H_
#define ASYNCOPS_BASE_CRYPTO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace asyncops {

// Raw digests of 32 and 64 bytes.
std::string Sha256(std::string_view bytes);
std::string Sha512(std::string_view bytes);
std::string HmacSha256(std::string_view key, std::string_view bytes);
// Whether the signature (64 bytes) of these bytes is that of the public key (32 bytes), as in RFC
// 8032; false also where either has another length.
bool Ed25519Verify(std::string_view public_key, std::string_view bytes, std::string_view signature);
// Whether both are equal, in time that does not depend on where they differ.
bool ConstantTimeEquals(std::string_view a, std::string_view b);
// Cryptographically strong; ends the process where the system has no randomness.
std::string RandomBytes(std::size_t count);
// FNV-1a, 64 bit: stable across processes and versions; for sharding, not for secrets.
std::uint64_t StableHash(std::string_view bytes);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_CRYPTO_H_
