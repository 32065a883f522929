#include "apiserver/handlers/document.h"

#include <utility>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::apiserver {
namespace {

std::string UpperHex(std::string_view bytes) {
  std::string hex = HexEncode(bytes);
  for (char& c : hex) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  }
  return hex;
}

// Whether an If-None-Match names the tag: `*`, or a list in which weak tags count as strong ones
// (RFC 9110 13.1.2).
bool Names(std::string_view field, std::string_view tag) {
  while (!field.empty()) {
    const std::size_t comma = field.find(',');
    std::string_view each = TrimBlanks(field.substr(0, comma));
    field.remove_prefix(comma == std::string_view::npos ? field.size() : comma + 1);
    if (each.starts_with("W/")) each.remove_prefix(2);
    if (each == tag || each == "*") return true;
  }
  return false;
}

}  // namespace

Document::Document(std::string content_type, std::string bytes)
    : content_type_(std::move(content_type)),
      bytes_(std::move(bytes)),
      hash_(UpperHex(Sha512(bytes_))) {}

http::Response Document::Serve(const http::Request& request) const {
  http::Response response;
  const std::string tag = "\"" + hash_ + "\"";
  response.headers.Add("ETag", tag);
  response.headers.Add("Vary", "Accept");
  response.headers.Add("Cache-Control", "public");
  if (Names(request.headers.Get("If-None-Match"), tag)) {
    response.status = 304;
    return response;
  }
  response.headers.Add("Content-Type", content_type_);
  response.body = bytes_;
  return response;
}

}  // namespace asyncops::apiserver
