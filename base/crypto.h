// Hashes; the adapter of OpenSSL's digests and random generator is crypto.cc.
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
// Whether both are equal, in time that does not depend on where they differ.
bool ConstantTimeEquals(std::string_view a, std::string_view b);
// Cryptographically strong; ends the process where the system has no randomness.
std::string RandomBytes(std::size_t count);
// FNV-1a, 64 bit: stable across processes and versions; for sharding, not for secrets.
std::uint64_t StableHash(std::string_view bytes);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_CRYPTO_H_
