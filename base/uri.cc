// The one file that knows Boost.URL.
#include "base/uri.h"

#include <boost/url/ipv6_address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <boost/url/url_view.hpp>

#include "base/ascii.h"

namespace asyncops {
namespace {

namespace urls = boost::urls;

constexpr int kHttpPort = 80;
constexpr int kHttpsPort = 443;
// Longer than any URL that servers accept (they stop at 8 KiB); bounds what parsing costs.
constexpr std::size_t kMaxUriBytes = 64U * 1024;

urls::string_view ToBoost(std::string_view text) { return {text.data(), text.size()}; }

std::string ToString(urls::string_view text) { return {text.data(), text.size()}; }

int DefaultPort(std::string_view scheme) { return scheme == "https" ? kHttpsPort : kHttpPort; }

// A host name as DNS and certificates know it; an escape or another letter would be read
// differently by the programs that a URL passes through.
bool IsHostName(std::string_view host) {
  if (host.empty()) return false;
  for (const char c : host) {
    const bool fine = IsLowerLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
    if (!fine) return false;
  }
  return true;
}

std::optional<std::string> HostOf(const urls::url_view_base& url) {
  switch (url.host_type()) {
    case urls::host_type::ipv6: return ToString(url.host_ipv6_address().to_string());
    case urls::host_type::ipv4:
    case urls::host_type::name: {
      std::string host = LowerCase(ToString(url.encoded_host()));
      if (IsHostName(host)) return host;
      return std::nullopt;
    }
    case urls::host_type::none:
    case urls::host_type::ipvfuture: break;
  }
  return std::nullopt;
}

std::optional<Uri> FromBoost(const urls::url_view_base& url) {
  if (url.has_userinfo()) return std::nullopt;
  Uri out;
  out.scheme = LowerCase(ToString(url.scheme()));
  if (out.scheme != "http" && out.scheme != "https") return std::nullopt;
  std::optional<std::string> host = HostOf(url);
  if (!host) return std::nullopt;
  out.host = std::move(*host);
  out.port = DefaultPort(out.scheme);
  // RFC 3986 3.2.3: an empty port is the scheme's own.
  if (url.has_port() && !url.port().empty()) out.port = url.port_number();
  // Boost gives 0 also for what is no 16-bit number.
  if (out.port == 0) return std::nullopt;
  out.target = ToString(url.encoded_path());
  // Boost 1.81 takes what follows the digits of a bad port for a path.
  if (!out.target.empty() && !out.target.starts_with('/')) return std::nullopt;
  if (out.target.empty()) out.target = "/";
  if (url.has_query()) out.target.append("?").append(ToString(url.encoded_query()));
  return out;
}

// RFC 3986 5.2.4 C: a step above the root stays there; Boost 1.81 keeps it in the path.
void DropStepsAboveRoot(std::string* target) {
  constexpr std::string_view kStep = "/..";
  while (target->starts_with(kStep)) {
    const char next = target->size() > kStep.size() ? (*target)[kStep.size()] : '\0';
    if (next != '/' && next != '?' && next != '\0') return;  // a name such as "..g"
    target->erase(0, kStep.size());
    if (next != '/') target->insert(0, 1, '/');
  }
}

std::string Authority(const Uri& uri, bool with_port) {
  std::string out = uri.host.find(':') == std::string::npos ? uri.host : "[" + uri.host + "]";
  if (with_port) out.append(":").append(std::to_string(uri.port));
  return out;
}

}  // namespace

std::string Uri::Origin() const { return scheme + "://" + Authority(*this, true); }

std::string Uri::ToString() const {
  return scheme + "://" + Authority(*this, port != DefaultPort(scheme)) + target;
}

std::optional<Uri> ParseUri(std::string_view text) {
  if (text.size() > kMaxUriBytes) return std::nullopt;
  const auto url = urls::parse_uri(ToBoost(text));
  if (!url) return std::nullopt;
  return FromBoost(*url);
}

std::optional<Uri> ResolveUri(const Uri& base, std::string_view reference) {
  if (reference.size() > kMaxUriBytes) return std::nullopt;
  const std::string base_text = base.ToString();
  const auto base_url = urls::parse_uri(ToBoost(base_text));
  const auto reference_url = urls::parse_uri_reference(ToBoost(reference));
  if (!base_url || !reference_url) return std::nullopt;
  urls::url resolved;
  if (!urls::resolve(*base_url, *reference_url, resolved)) return std::nullopt;
  std::optional<Uri> uri = FromBoost(resolved);
  if (uri) DropStepsAboveRoot(&uri->target);
  return uri;
}

}  // namespace asyncops
