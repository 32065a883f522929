#include "apiserver/handlers/document.h"

#include <utility>

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
  if (request.headers.Get("If-None-Match") == tag) {
    response.status = 304;
    return response;
  }
  response.headers.Add("Content-Type", content_type_);
  response.body = bytes_;
  return response;
}

}  // namespace asyncops::apiserver
