// Which addresses this process may call: the rule that keeps a user's URL from reaching our own
// network.
#ifndef ASYNCOPS_KUBE_OUTBOUND_POLICY_H_
#define ASYNCOPS_KUBE_OUTBOUND_POLICY_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace asyncops::kube {

// An address range such as 127.0.0.0/8 or fd00::/8. A value.
struct Cidr {
  std::string address;  // 4 or 16 bytes, network order
  int prefix_bits = 0;

  bool Contains(std::string_view address_bytes) const;
};
// BadRequest where the text is no CIDR (a bare address counts as its own range).
Result<Cidr> ParseCidr(std::string_view text);

// Loopback, private (RFC 1918, unique local), shared (100.64/10), multicast, unspecified and other
// special addresses are refused unless an allowed range names them; the cloud metadata addresses
// (169.254.169.254, fd00:ec2::254, 100.100.100.200) and all link-local ones always. An IPv4 address
// inside an IPv6 one (mapped, compatible, NAT64 64:ff9b::/96, 6to4 2002::/16) is judged as IPv4. A
// value.
class OutboundPolicy {
 public:
  explicit OutboundPolicy(std::vector<Cidr> allowed) : allowed_(std::move(allowed)) {}

  // OK, or Forbidden with the address, why, and the flag that would allow it. `address_bytes` is
  // what is being connected to, after resolution.
  Status Check(std::string_view address_bytes) const;

 private:
  std::vector<Cidr> allowed_;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_OUTBOUND_POLICY_H_
