#include "base/uri.h"

#include <gtest/gtest.h>

namespace asyncops {
namespace {

struct ParseCase {
  std::string_view text;
  Uri uri;
  const char* why;
};

const ParseCase kParseCases[] = {
    {"http://example.com", {"http", "example.com", 80, "/"}, "no path, http's port"},
    {"https://example.com", {"https", "example.com", 443, "/"}, "https's port"},
    {"https://example.com:8443/a/b?x=1&y=2",
     {"https", "example.com", 8443, "/a/b?x=1&y=2"},
     "port, path and query"},
    {"https://example.com?x=1", {"https", "example.com", 443, "/?x=1"}, "a query without a path"},
    {"https://example.com/?", {"https", "example.com", 443, "/?"}, "an empty query"},
    {"https://example.com/a#part", {"https", "example.com", 443, "/a"}, "a fragment is dropped"},
    {"HTTPS://Example.COM/A", {"https", "example.com", 443, "/A"}, "case counts in the path only"},
    {"http://example.com:/", {"http", "example.com", 80, "/"}, "an empty port"},
    {"http://127.0.0.1:8080/", {"http", "127.0.0.1", 8080, "/"}, "IPv4"},
    {"http://[::1]:8080/x", {"http", "::1", 8080, "/x"}, "IPv6"},
    {"http://[2001:DB8:0:0::1]/", {"http", "2001:db8::1", 80, "/"}, "IPv6 in one form"},
    {"http://a/%7Eb/%2F?q=%20", {"http", "a", 80, "/%7Eb/%2F?q=%20"}, "escapes stay on the wire"},
    {"http://a/b/../c", {"http", "a", 80, "/b/../c"}, "nothing is normalised"},
};

TEST(ParseUriTest, TakesAnAbsoluteUrlApart) {
  for (const ParseCase& c : kParseCases) {
    const std::optional<Uri> uri = ParseUri(c.text);
    ASSERT_TRUE(uri.has_value()) << c.text << ": " << c.why;
    EXPECT_EQ(*uri, c.uri) << c.text << ": " << c.why << ": " << uri->ToString();
  }
}

struct BadCase {
  std::string_view text;
  const char* why;
};

constexpr BadCase kBadCases[] = {
    {"", "empty"},
    {"example.com", "no scheme"},
    {"/path", "relative"},
    {"//example.com/", "no scheme, but an authority"},
    {"ftp://example.com/", "another scheme"},
    {"file:///etc/passwd", "another scheme, without a host"},
    {"http:/example.com", "no authority"},
    {"http:///path", "an empty host"},
    {"http://:80/", "an empty host with a port"},
    {"http://user@example.com/", "a user"},
    {"http://user:secret@example.com/", "a password"},
    {"http://@example.com/", "an empty user"},
    {"http://example.com:0/", "port 0"},
    {"http://example.com:65536/", "no 16-bit port"},
    {"http://example.com:99999999999/", "far over it"},
    {"http://example.com:8a/", "not a number"},
    {"http://example.com:-1/", "a signed port"},
    {"http://exa%6Dple.com/", "an escape in the host"},
    {"http://exa mple.com/", "a blank in the host"},
    {"http://example.com/a b", "a blank in the path"},
    {"http://example.com/\r\nHost: evil", "a header in the path"},
    {" http://example.com/", "a blank before"},
    {"http://example.com/%zz", "a broken escape"},
    {"http://[::1", "an open bracket"},
    {"http://[v1.x]/", "an address of the future"},
    {"http://[fe80::1%25eth0]/", "an address with a zone"},
    {"http://ex\xC3\xA9mple.com/", "bytes outside ASCII"},
    {"http://example.com\\@evil.com/", "a backslash"},
};

TEST(ParseUriTest, RefusesWhatIsNoPlainHttpUrl) {
  for (const BadCase& c : kBadCases) EXPECT_FALSE(ParseUri(c.text)) << c.text << ": " << c.why;
}

TEST(ParseUriTest, LongestPortIsAccepted) { EXPECT_EQ(ParseUri("http://a:65535/")->port, 65535); }

TEST(ParseUriTest, OverlongTextIsRefused) {
  EXPECT_FALSE(ParseUri("http://a/" + std::string(100000, 'a')));
}

TEST(UriTest, OriginAlwaysNamesThePort) {
  EXPECT_EQ(ParseUri("https://example.com/a")->Origin(), "https://example.com:443");
  EXPECT_EQ(ParseUri("http://[::1]/a")->Origin(), "http://[::1]:80");
}

TEST(UriTest, ToStringLeavesTheSchemesPortOut) {
  EXPECT_EQ(ParseUri("https://example.com:443/a?b")->ToString(), "https://example.com/a?b");
  EXPECT_EQ(ParseUri("https://example.com:80/")->ToString(), "https://example.com:80/");
  EXPECT_EQ(ParseUri("http://[::1]:81")->ToString(), "http://[::1]:81/");
}

struct ResolveCase {
  std::string_view reference;
  std::string_view result;  // "" where there is none
  const char* why;
};

constexpr ResolveCase kResolveCases[] = {
    {"/v1/operations/7", "https://api.example.com:8443/v1/operations/7", "an absolute path"},
    {"7", "https://api.example.com:8443/v1/7", "a sibling"},
    {"./7", "https://api.example.com:8443/v1/7", "a sibling with a dot"},
    {"../v2/7", "https://api.example.com:8443/v2/7", "a step up"},
    {"../../../7", "https://api.example.com:8443/7", "no step above the root"},
    {"?page=2", "https://api.example.com:8443/v1/volumes?page=2", "a query alone"},
    {"", "https://api.example.com:8443/v1/volumes?a=b", "the base itself"},
    {"#part", "https://api.example.com:8443/v1/volumes?a=b", "a fragment is dropped"},
    {"7?x=%2F", "https://api.example.com:8443/v1/7?x=%2F", "escapes stay"},
    {"//other.example.com/x", "https://other.example.com/x", "another host, the same scheme"},
    {"http://other.example.com/x", "http://other.example.com/x", "an absolute URL"},
    {"https://[::1]:9/x", "https://[::1]:9/x", "an absolute URL with IPv6"},
    {"//user:secret@other.example.com/x", "", "user information"},
    {"https://user@api.example.com/x", "", "user information in an absolute URL"},
    {"ftp://other.example.com/x", "", "another scheme"},
    {"mailto:a@example.com", "", "no URL of a server"},
    {"/a b", "", "a blank"},
    {"/a\r\nX: y", "", "a header"},
};

TEST(ResolveUriTest, ResolvesTheFormsOfALocationHeader) {
  const Uri base = *ParseUri("https://api.example.com:8443/v1/volumes?a=b");
  for (const ResolveCase& c : kResolveCases) {
    const std::optional<Uri> uri = ResolveUri(base, c.reference);
    EXPECT_EQ(uri ? uri->ToString() : "", c.result) << c.reference << ": " << c.why;
  }
}

// RFC 3986, 5.4.1 and 5.4.2, without the fragments that we drop and the schemes that we refuse.
TEST(ResolveUriTest, ResolvesTheExamplesOfTheRfc) {
  const Uri base = *ParseUri("http://a/b/c/d;p?q");
  constexpr std::pair<std::string_view, std::string_view> kExamples[] = {
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g/"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g?y#s", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
  };
  for (const auto& [reference, result] : kExamples) {
    const std::optional<Uri> uri = ResolveUri(base, reference);
    EXPECT_EQ(uri ? uri->ToString() : "", result) << reference;
  }
}

}  // namespace
}  // namespace asyncops
