#include "kube/request_form.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"

namespace asyncops::kube {
namespace {

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

bool IsTarget(std::string_view text) {
  return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte > 0x20 && byte < 0x7f;
         });
}

}  // namespace

std::string MistakeOf(const OutboundRequest& request) {
  constexpr std::array<std::string_view, 6> kFraming = {
      "Host", "Content-Length", "Connection", "Upgrade", "Expect", "Transfer-Encoding"};
  if (!IsToken(request.method)) return "the method is no HTTP method";
  if (!IsTarget(request.uri.target)) return "the path holds a character that no URL has";
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name)) return "a header's name holds a character that no name has";
    // The value may be a secret, so it is not shown.
    if (!IsFieldValue(value)) return "the value of header " + name + " holds a control character";
    for (const std::string_view framing : kFraming) {
      if (EqualsIgnoreCase(name, framing)) return "header " + name + " is set by the transport";
    }
  }
  return "";
}

std::string HostHeader(const Uri& uri) {
  const bool literal6 = uri.host.find(':') != std::string::npos;
  std::string host = literal6 ? "[" + uri.host + "]" : uri.host;
  const int standard = uri.scheme == "https" ? 443 : 80;
  if (uri.port != standard) host += ":" + std::to_string(uri.port);
  return host;
}

}  // namespace asyncops::kube
