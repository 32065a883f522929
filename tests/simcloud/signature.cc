#include "tests/simcloud/signature.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"
#include "base/rfc3339.h"

namespace asyncops::simcloud {
namespace {

constexpr std::string_view kScheme = "AWS4-HMAC-SHA256";
constexpr std::chrono::minutes kMaxSkew{15};

struct Claim {
  std::string key_id;
  std::string date;   // "20261129"
  std::string scope;  // "20261129/us-east-1/cloudcontrolapi/aws4_request"
  std::vector<std::string> signed_headers;
  std::string signature;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// The value of "Name=value" in the list.
std::string ValueOf(const std::vector<std::string>& parts, std::string_view name) {
  for (const std::string& part : parts) {
    const std::string_view trimmed = TrimBlanks(part);
    if (trimmed.starts_with(name) && trimmed.substr(name.size()).starts_with('='))
      return std::string(trimmed.substr(name.size() + 1));
  }
  return "";
}

std::optional<Claim> ReadClaim(std::string_view authorization) {
  if (!authorization.starts_with(kScheme)) return std::nullopt;
  const std::vector<std::string> parts = Split(authorization.substr(kScheme.size()), ',');
  const std::vector<std::string> credential = Split(ValueOf(parts, "Credential"), '/');
  Claim claim;
  claim.signed_headers = Split(ValueOf(parts, "SignedHeaders"), ';');
  claim.signature = ValueOf(parts, "Signature");
  if (credential.size() != 5 || credential[4] != "aws4_request") return std::nullopt;
  claim.key_id = credential[0];
  claim.date = credential[1];
  claim.scope = credential[1] + "/" + credential[2] + "/" + credential[3] + "/" + credential[4];
  return claim;
}

// "20261129T231044Z" as a time.
std::optional<Time> BasicTime(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  const std::string t(text);
  return ParseTime(t.substr(0, 4) + "-" + t.substr(4, 2) + "-" + t.substr(6, 2) + "T" +
                   t.substr(9, 2) + ":" + t.substr(11, 2) + ":" + t.substr(13, 2) + "Z");
}

std::string CanonicalQuery(const Request& request) {
  std::string out;
  for (const auto& [name, value] : request.query) {
    if (!out.empty()) out += '&';
    out += PercentEncode(name) + "=" + PercentEncode(value);
  }
  return out;
}

std::string CanonicalRequest(const Request& request, const Claim& claim) {
  std::string path;
  for (const std::string& part : Split(request.path, '/')) {
    path += (path.empty() && part.empty() ? "" : "/") + PercentEncode(part);
  }
  if (!path.starts_with('/')) path = "/" + path;
  std::string out = request.method + "\n" + path + "\n" + CanonicalQuery(request) + "\n";
  std::string names;
  for (const std::string& name : claim.signed_headers) {
    out += name + ":" + std::string(TrimBlanks(request.Header(name))) + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  return out + "\n" + names + "\n" + HexEncode(Sha256(request.body));
}

std::string SigningKey(const Claim& claim, std::string_view secret) {
  const std::vector<std::string> scope = Split(claim.scope, '/');
  std::string key = "AWS4" + std::string(secret);
  for (const std::string& part : scope) key = HmacSha256(key, part);
  return key;
}

}  // namespace

Status CheckSignature(const Request& request, const AwsKey& key, Time now) {
  const std::optional<Claim> claim = ReadClaim(request.Header("authorization"));
  if (!claim) return BadRequest("MissingAuthenticationToken");
  if (claim->key_id != key.access_key_id) return BadRequest("UnrecognizedClientException");
  for (const std::string_view name : {"host", "x-amz-date", "x-amz-target"}) {
    const auto& names = claim->signed_headers;
    if (std::find(names.begin(), names.end(), name) == names.end())
      return BadRequest("IncompleteSignature");
  }
  const std::string date = request.Header("x-amz-date");
  const std::optional<Time> time = BasicTime(date);
  if (!time || !date.starts_with(claim->date)) return BadRequest("IncompleteSignature");
  if (*time > now + kMaxSkew || *time < now - kMaxSkew) return BadRequest("SignatureExpired");
  const std::string text = std::string(kScheme) + "\n" + date + "\n" + claim->scope + "\n" +
                           HexEncode(Sha256(CanonicalRequest(request, *claim)));
  const std::string wanted = HexEncode(HmacSha256(SigningKey(*claim, key.secret_access_key), text));
  if (!ConstantTimeEquals(wanted, claim->signature)) return BadRequest("InvalidSignature");
  return Status::Ok();
}

}  // namespace asyncops::simcloud
