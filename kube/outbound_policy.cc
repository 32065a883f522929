#include "kube/outbound_policy.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>

namespace asyncops::kube {
namespace {

struct SpecialRange {
  std::string_view cidr;
  std::string_view what;
};

// Addresses that no public service has: IANA's special-purpose registries (RFC 6890).
constexpr std::array<SpecialRange, 23> kSpecial = {{
    {"0.0.0.0/8", "an unspecified address"},
    {"10.0.0.0/8", "a private address"},
    {"100.64.0.0/10", "a shared address"},
    {"127.0.0.0/8", "a loopback address"},
    {"172.16.0.0/12", "a private address"},
    {"192.0.0.0/24", "a special-purpose address"},
    {"192.0.2.0/24", "a documentation address"},
    {"192.88.99.0/24", "a relay's address"},
    {"192.168.0.0/16", "a private address"},
    {"198.18.0.0/15", "a benchmarking address"},
    {"198.51.100.0/24", "a documentation address"},
    {"203.0.113.0/24", "a documentation address"},
    {"224.0.0.0/4", "a multicast address"},
    {"240.0.0.0/4", "a reserved address"},
    {"::/128", "an unspecified address"},
    {"::1/128", "a loopback address"},
    {"64:ff9b:1::/48", "a translated address"},
    {"100::/64", "a discard-only address"},
    {"2001::/32", "a tunnelled address"},
    {"2001:db8::/32", "a documentation address"},
    {"fc00::/7", "a private address"},
    {"fec0::/10", "a private address"},
    {"ff00::/8", "a multicast address"},
}};

// Where clouds hand out the credentials of the machine: no flag opens these.
constexpr std::array<std::string_view, 3> kMetadata = {"169.254.169.254/32", "fd00:ec2::254/128",
                                                       "100.100.100.200/32"};

std::string ParseAddress(std::string_view text) {
  const std::string copy(text);
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return "";
}

std::string FormatAddress(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  const char* out = inet_ntop(family, bytes.data(), text.data(), text.size());
  return out == nullptr ? "?" : out;
}

// Where every machine on the link, or the machine's own agents, can be reached: no flag opens these
// either.
constexpr std::array<std::string_view, 2> kLinkLocal = {"169.254.0.0/16", "fe80::/10"};

// An IPv4 address in its IPv6 forms (mapped ::ffff:a.b.c.d, compatible ::a.b.c.d, translated
// 64:ff9b::a.b.c.d, 6to4 2002:aabb:ccdd::) as IPv4; others as they are.
std::string_view Unmapped(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.size() != 16) return bytes;
  if (bytes.starts_with("\x20\x02"sv)) return bytes.substr(2, 4);
  if (bytes.starts_with("\x00\x64\xff\x9b\x00\x00\x00\x00\x00\x00\x00\x00"sv))
    return bytes.substr(12);
  bool zeros = true;
  for (std::size_t i = 0; i < 10; ++i) zeros = zeros && bytes[i] == 0;
  const bool mapped = bytes[10] == '\xff' && bytes[11] == '\xff';
  const bool compatible = bytes[10] == 0 && bytes[11] == 0 && (bytes[12] != 0 || bytes[13] != 0);
  return zeros && (mapped || compatible) ? bytes.substr(12) : bytes;
}

bool InRange(std::string_view cidr, std::string_view address) {
  const Result<Cidr> range = ParseCidr(cidr);
  return range.ok() && range->Contains(address);
}

}  // namespace

bool Cidr::Contains(std::string_view address_bytes) const {
  if (address_bytes.size() != address.size()) return false;
  for (int bit = 0; bit < prefix_bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const auto mask = static_cast<unsigned char>(0x80U >> static_cast<unsigned>(bit % 8));
    const auto a = static_cast<unsigned char>(address_bytes[byte]);
    const auto b = static_cast<unsigned char>(address[byte]);
    if ((a & mask) != (b & mask)) return false;
  }
  return true;
}

Result<Cidr> ParseCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  Cidr cidr;
  cidr.address = ParseAddress(text.substr(0, slash));
  if (cidr.address.empty())
    return BadRequest("\"" + std::string(text) + "\" is not a CIDR such as 10.1.0.0/16");
  const int longest = static_cast<int>(cidr.address.size()) * 8;
  cidr.prefix_bits = longest;
  if (slash == std::string_view::npos) return cidr;
  const std::string_view prefix = text.substr(slash + 1);
  const auto parsed =
      std::from_chars(prefix.data(), prefix.data() + prefix.size(), cidr.prefix_bits);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == prefix.data() + prefix.size();
  if (!whole || cidr.prefix_bits < 0 || cidr.prefix_bits > longest) {
    return BadRequest("\"" + std::string(text) + "\": the prefix length is a number from 0 to " +
                      std::to_string(longest));
  }
  return cidr;
}

Status OutboundPolicy::Check(std::string_view address_bytes) const {
  const std::string_view address = Unmapped(address_bytes);
  if (address.size() != 4 && address.size() != 16)
    return {Reason::kForbidden, "what is to be called is no IP address"};
  for (const std::string_view metadata : kMetadata) {
    if (InRange(metadata, address)) {
      return {Reason::kForbidden,
              FormatAddress(address) + " is a cloud metadata address, which is never called"};
    }
  }
  for (const std::string_view link_local : kLinkLocal) {
    if (InRange(link_local, address)) {
      return {Reason::kForbidden,
              FormatAddress(address) + " is a link-local address, which is never called"};
    }
  }
  for (const Cidr& range : allowed_) {
    if (range.Contains(address)) return Status::Ok();
  }
  for (const SpecialRange& special : kSpecial) {
    if (!InRange(special.cidr, address)) continue;
    return {Reason::kForbidden, FormatAddress(address) + " is " + std::string(special.what) +
                                    ", which is not called unless --allow-outbound names it"};
  }
  return Status::Ok();
}

}  // namespace asyncops::kube
