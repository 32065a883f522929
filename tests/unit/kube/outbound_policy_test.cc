#include "kube/outbound_policy.h"

#include <gtest/gtest.h>

#include "kube/resolver.h"

namespace asyncops::kube {
namespace {

std::vector<Cidr> Ranges(const std::vector<std::string>& texts) {
  std::vector<Cidr> out;
  for (const std::string& text : texts) {
    const Result<Cidr> cidr = ParseCidr(text);
    EXPECT_TRUE(cidr.ok()) << text;
    if (cidr.ok()) out.push_back(*cidr);
  }
  return out;
}

struct AddressCase {
  const char* address;
  const char* message;  // of the refusal; "" where it is allowed
  const char* reason;
};

TEST(OutboundPolicyTest, RefusesByDefaultWhatNoPublicServiceHas) {
  const OutboundPolicy policy({});
  const std::vector<AddressCase> cases = {
      {"8.8.8.8", "", "a public address"},
      {"2606:4700::1111", "", "a public IPv6 address"},
      {"172.32.0.1", "", "just beyond 172.16/12"},
      {"100.128.0.1", "", "just beyond 100.64/10"},
      {"127.0.0.1", "loopback", "the machine itself"},
      {"127.255.255.254", "loopback", "all of 127/8 is loopback"},
      {"::1", "loopback", "the machine itself"},
      {"10.1.2.3", "private", "RFC 1918"},
      {"172.31.255.255", "private", "the end of 172.16/12"},
      {"192.168.1.1", "private", "RFC 1918"},
      {"100.64.0.1", "shared", "carrier-grade NAT"},
      {"fd12::1", "private", "unique local"},
      {"0.0.0.0", "unspecified", "connects to the machine itself"},
      {"::", "unspecified", "connects to the machine itself"},
      {"224.0.0.1", "multicast", "multicast"},
      {"255.255.255.255", "reserved", "broadcast"},
      {"::ffff:127.0.0.1", "loopback", "mapped IPv4 is judged as IPv4"},
      {"::ffff:8.8.8.8", "", "mapped IPv4 is judged as IPv4"},
      {"::10.0.0.1", "private", "compatible IPv4 is judged as IPv4"},
      {"64:ff9b::7f00:1", "loopback", "NAT64 is judged as the IPv4 address that it leads to"},
      {"64:ff9b::808:808", "", "NAT64 is judged as the IPv4 address that it leads to"},
      {"64:ff9b:1::7f00:1", "translated", "where IPv4 stands in it is the network's choice"},
      {"2002:a01:203::1", "private", "6to4 is judged as IPv4"},
      {"2002:808:808::1", "", "6to4 is judged as IPv4"},
      {"2001:0:1::1", "tunnelled", "Teredo leads anywhere"},
      {"fec0::1", "private", "site-local, as old networks have it"},
  };
  for (const AddressCase& item : cases) {
    const Status status = policy.Check(ParseAddressLiteral(item.address));
    const bool allowed = std::string(item.message).empty();
    EXPECT_EQ(status.ok(), allowed) << item.address << ": " << item.reason;
    EXPECT_NE(status.message().find(item.message), std::string::npos) << status.message();
    if (allowed) continue;
    EXPECT_EQ(status.reason(), Reason::kForbidden) << item.address;
    EXPECT_NE(status.message().find("--allow-outbound"), std::string::npos) << status.message();
  }
}

TEST(OutboundPolicyTest, AllowsWhatARangeNames) {
  const OutboundPolicy policy(Ranges({"127.0.0.0/8", "fd00::/8", "10.1.2.3"}));
  EXPECT_TRUE(policy.Check(ParseAddressLiteral("127.0.0.1")).ok());
  EXPECT_TRUE(policy.Check(ParseAddressLiteral("::ffff:127.0.0.1")).ok());
  EXPECT_TRUE(policy.Check(ParseAddressLiteral("fd00::7")).ok());
  EXPECT_TRUE(policy.Check(ParseAddressLiteral("10.1.2.3")).ok());
  EXPECT_FALSE(policy.Check(ParseAddressLiteral("10.1.2.4")).ok());
  EXPECT_FALSE(policy.Check(ParseAddressLiteral("::1")).ok());
}

TEST(OutboundPolicyTest, NoRangeOpensLinkLocalAddresses) {
  const OutboundPolicy policy(Ranges({"0.0.0.0/0", "::/0", "169.254.0.0/16", "fe80::/10"}));
  for (const char* address : {"169.254.1.1", "fe80::1", "febf::1", "::ffff:169.254.1.1",
                              "64:ff9b::a9fe:101", "2002:a9fe:101::1"}) {
    const Status status = policy.Check(ParseAddressLiteral(address));
    EXPECT_EQ(status.reason(), Reason::kForbidden) << address;
    EXPECT_NE(status.message().find("link-local"), std::string::npos) << status.message();
  }
}

TEST(OutboundPolicyTest, NoRangeOpensTheMetadataAddresses) {
  const OutboundPolicy policy(Ranges({"0.0.0.0/0", "::/0"}));
  for (const char* address : {"169.254.169.254", "fd00:ec2::254", "100.100.100.200",
                              "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"}) {
    const Status status = policy.Check(ParseAddressLiteral(address));
    EXPECT_EQ(status.reason(), Reason::kForbidden) << address;
    EXPECT_NE(status.message().find("metadata"), std::string::npos) << status.message();
  }
}

TEST(OutboundPolicyTest, AnAddressOfNoKnownLengthIsRefused) {
  const OutboundPolicy policy(Ranges({"0.0.0.0/0", "::/0"}));
  EXPECT_FALSE(policy.Check("").ok());
  EXPECT_FALSE(policy.Check("abc").ok());
}

TEST(CidrTest, RefusesWhatIsNoRange) {
  for (const char* text : {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "fd00::/129",
                           "localhost/8", "10.0.0.0/8x", "/8"}) {
    EXPECT_EQ(ParseCidr(text).status().reason(), Reason::kBadRequest) << text;
  }
}

TEST(CidrTest, ContainsByPrefix) {
  const Cidr range = *ParseCidr("10.128.0.0/9");
  EXPECT_TRUE(range.Contains(ParseAddressLiteral("10.255.0.1")));
  EXPECT_FALSE(range.Contains(ParseAddressLiteral("10.127.0.1")));
  EXPECT_FALSE(range.Contains(ParseAddressLiteral("::1")));
}

}  // namespace
}  // namespace asyncops::kube
