#include "reconciler/sigv4.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"
#include "base/rfc3339.h"

namespace asyncops::reconciler {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kTerminator = "aws4_request";
constexpr std::string_view kS3 = "s3";

// "20150830T123600Z": RFC 3339 without its marks and fraction.
std::string AmzDate(Time now) {
  const std::string text = FormatTime(std::chrono::floor<std::chrono::seconds>(now));
  std::string out;
  for (const char c : text.substr(0, 19)) {
    if (c != '-' && c != ':') out += c;
  }
  return out + "Z";
}

// The path without "." and ".." segments and empty ones, as AWS normalises it.
std::string NormalPath(std::string_view path) {
  std::vector<std::string_view> kept;
  std::string_view rest = path;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the slash
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(segment);
    }
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (out.empty() || path.back() == '/') out += "/";
  return out;
}

// S3 takes the path as it is on the wire; the others see each segment of that escaped once more.
std::string CanonicalPath(std::string_view path, bool s3) {
  if (s3) return std::string(path);
  std::string out;
  std::string segment;
  for (const char c : NormalPath(path) + "/") {
    if (c != '/') {
      segment += c;
      continue;
    }
    out += PercentEncode(segment) + "/";
    segment.clear();
  }
  out.pop_back();
  return out;
}

// Decoded where it can be, and escaped in the one way that both sides make.
std::string Reescaped(std::string_view text) {
  const std::optional<std::string> plain = PercentDecode(text, false);
  return PercentEncode(plain ? *plain : text);
}

std::string CanonicalQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    pairs.emplace_back(Reescaped(pair.substr(0, equals)), Reescaped(value));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += "&";
    out.append(name).append("=").append(value);
  }
  return out;
}

// Without blanks around it, and runs of blanks within it as one.
std::string CanonicalValue(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string HostOf(const Uri& uri) {
  std::string host = uri.host.find(':') != std::string::npos ? "[" + uri.host + "]" : uri.host;
  const int standard = uri.scheme == "https" ? 443 : 80;
  if (uri.port != standard) host += ":" + std::to_string(uri.port);
  return host;
}

bool IsSigned(const std::string& name) {
  return name != "user-agent" && name != "accept-encoding" && name != "authorization";
}

// By name in lower case; repeated ones joined, as they come.
std::map<std::string, std::string> SignedHeaders(const SigV4Request& request, const Headers& own) {
  std::map<std::string, std::string> out;
  out.emplace("host", HostOf(request.uri));
  for (const Headers* headers : {&request.headers, &own}) {
    for (const auto& [name, value] : *headers) {
      const std::string lower = LowerCase(name);
      if (!IsSigned(lower)) continue;
      const auto [at, fresh] = out.emplace(lower, CanonicalValue(value));
      if (!fresh) at->second.append(",").append(CanonicalValue(value));
    }
  }
  return out;
}

std::string SigningKey(const SigV4Signer& signer, std::string_view day) {
  const std::string of_day = HmacSha256("AWS4" + signer.secret_access_key, day);
  const std::string of_region = HmacSha256(of_day, signer.region);
  const std::string of_service = HmacSha256(of_region, signer.service);
  return HmacSha256(of_service, kTerminator);
}

}  // namespace

Headers SignSigV4(const SigV4Signer& signer, const SigV4Request& request, Time now) {
  const bool s3 = signer.service == kS3;
  const std::string date = AmzDate(now);
  const std::string day = date.substr(0, 8);
  const std::string body_hash = HexEncode(Sha256(request.body));
  Headers out = {{"X-Amz-Date", date}};
  if (!signer.session_token.empty()) out.emplace_back("X-Amz-Security-Token", signer.session_token);
  if (s3) out.emplace_back("X-Amz-Content-Sha256", body_hash);

  const std::string_view target = request.uri.target;
  const std::size_t mark = target.find('?');
  const std::string_view query =
      mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  std::string canonical(request.method);
  canonical.append("\n").append(CanonicalPath(target.substr(0, mark), s3));
  canonical.append("\n").append(CanonicalQuery(query)).append("\n");
  std::string names;
  for (const auto& [name, value] : SignedHeaders(request, out)) {
    canonical.append(name).append(":").append(value).append("\n");
    if (!names.empty()) names += ";";
    names += name;
  }
  canonical.append("\n").append(names).append("\n").append(body_hash);

  const std::string scope =
      day + "/" + signer.region + "/" + signer.service + "/" + std::string(kTerminator);
  std::string to_sign(kAlgorithm);
  to_sign.append("\n").append(date).append("\n").append(scope).append("\n");
  to_sign += HexEncode(Sha256(canonical));
  std::string authorization(kAlgorithm);
  authorization.append(" Credential=").append(signer.access_key_id).append("/").append(scope);
  authorization.append(", SignedHeaders=").append(names).append(", Signature=");
  authorization += HexEncode(HmacSha256(SigningKey(signer, day), to_sign));
  out.emplace_back("Authorization", std::move(authorization));
  return out;
}

bool IsSigV4Refusal(std::string_view code) {
  constexpr std::array<std::string_view, 12> kCodes = {
      "RequestTimeTooSkewed",  "RequestExpired",      "InvalidSignatureException",
      "SignatureDoesNotMatch", "ExpiredToken",        "ExpiredTokenException",
      "InvalidClientTokenId",  "InvalidAccessKeyId",  "UnrecognizedClientException",
      "InvalidToken",          "IncompleteSignature", "MissingAuthenticationToken"};
  // "com.amazonaws.cloudcontrol#ExpiredTokenException" in some protocols.
  const std::size_t hash = code.rfind('#');
  if (hash != std::string_view::npos) code.remove_prefix(hash + 1);
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

}  // namespace asyncops::reconciler
