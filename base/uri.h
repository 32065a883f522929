// URLs; the adapter of Boost.URL is uri.cc.
#ifndef ASYNCOPS_BASE_URI_H_
#define ASYNCOPS_BASE_URI_H_

#include <optional>
#include <string>
#include <string_view>

namespace asyncops {

// An absolute http or https URL, taken apart. A value.
struct Uri {
  std::string scheme;  // "http" or "https"
  std::string host;    // lower case; an IPv6 address without brackets
  int port = 0;        // given, or the scheme's
  std::string target;  // path and query as they go on the wire, "/" at least; never a fragment

  // "https://host:port", the port always written: what credentials are bound to.
  std::string Origin() const;
  // As a reader writes it: the scheme's own port left out.
  std::string ToString() const;

  bool operator==(const Uri&) const = default;
};

// Nothing where the text is no absolute http(s) URL, carries user information (a credential in a
// URL would end in logs), or names a host with other than letters, digits and "-._" (escapes and
// Unicode are read differently by the programs that a URL passes through).
std::optional<Uri> ParseUri(std::string_view text);
// Resolves a reference (absolute, or relative as in RFC 3986 5.2) against a base. Nothing where the
// result is no http(s) URL.
std::optional<Uri> ResolveUri(const Uri& base, std::string_view reference);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_URI_H_
