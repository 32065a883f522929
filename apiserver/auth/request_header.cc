#include "apiserver/auth/request_header.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/encoding.h"

namespace asyncops::apiserver {
namespace {

using Names = std::vector<std::string>;

Status Unauthorized(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }

bool HasPrefix(std::string_view header, std::string_view prefix) {
  return header.size() > prefix.size() && EqualsIgnoreCase(header.substr(0, prefix.size()), prefix);
}

bool IsOneOf(std::string_view header, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [header](const std::string& name) { return EqualsIgnoreCase(name, header); });
}

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenCharacter);
}

Status CheckNames(std::string_view flag, const Names& names) {
  for (const std::string& name : names) {
    if (!IsHeaderName(name)) return BadRequest(std::string(flag) + ": not a name of a header");
  }
  return Status::Ok();
}

// What stands between the lines of each PEM block, without white space.
std::set<std::string> Blocks(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  std::set<std::string> out;
  std::size_t at = 0;
  while ((at = pem.find(kBegin, at)) != std::string_view::npos) {
    at += kBegin.size();
    std::string block(pem.substr(at, pem.find("-----END", at) - at));
    std::erase_if(block, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
    out.insert(std::move(block));
  }
  return out;
}

bool ShareACertificate(std::string_view a, std::string_view b) {
  const std::set<std::string> theirs = Blocks(b);
  const std::set<std::string> ours = Blocks(a);
  return std::any_of(ours.begin(), ours.end(),
                     [&theirs](const std::string& block) { return theirs.count(block) > 0; });
}

// The first of these headers with a value; "" where there is none.
Result<std::string> SingleOf(const http::Headers& headers, const Names& names) {
  for (const std::string& name : names) {
    const std::vector<std::string_view> values = headers.GetAll(name);
    if (values.size() > 1) return Unauthorized("the front proxy's " + name + " came twice");
    if (!values.empty() && !values.front().empty()) return std::string(values.front());
  }
  return std::string();
}

}  // namespace

Result<std::unique_ptr<RequestHeaderAuthenticator>> RequestHeaderAuthenticator::Make(
    RequestHeaderConfig config, const std::string& client_ca_pem, const Clock& clock) {
  ASYNCOPS_RETURN_IF_ERROR(CheckNames("requestheader-username-headers", config.username_headers));
  ASYNCOPS_RETURN_IF_ERROR(CheckNames("requestheader-group-headers", config.group_headers));
  ASYNCOPS_RETURN_IF_ERROR(
      CheckNames("requestheader-extra-headers-prefix", config.extra_header_prefixes));
  ASYNCOPS_RETURN_IF_ERROR(CheckNames("requestheader-uid-headers", config.uid_headers));
  if (config.username_headers.empty())
    return BadRequest("requestheader-username-headers: at least one header is needed");
  if (config.allowed_names.empty() && ShareACertificate(config.ca_pem, client_ca_pem)) {
    return BadRequest(
        "requestheader-allowed-names: it must name the front proxy, because "
        "requestheader-client-ca-file and client-ca-file share a certificate");
  }
  Result<std::unique_ptr<VerifiedPeers>> proxies = VerifiedPeers::Make(config.ca_pem, clock);
  if (!proxies.ok()) return proxies.status().WithContext("requestheader-client-ca-file");
  return std::unique_ptr<RequestHeaderAuthenticator>(
      new RequestHeaderAuthenticator(std::move(config), *std::move(proxies)));
}

bool RequestHeaderAuthenticator::IsProxy(const http::Request& request) const {
  if (request.peer_certificate == nullptr) return false;
  const UserPointer proxy = proxies_->Find(*request.peer_certificate);
  if (proxy == nullptr) return false;
  const Names& allowed = config_.allowed_names;
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), proxy->name) != allowed.end();
}

bool RequestHeaderAuthenticator::IsOurs(std::string_view header) const {
  const Names& prefixes = config_.extra_header_prefixes;
  return IsOneOf(header, config_.username_headers) || IsOneOf(header, config_.group_headers) ||
         IsOneOf(header, config_.uid_headers) ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [header](const std::string& prefix) { return HasPrefix(header, prefix); });
}

// A header that Connection names is for a hop before us, and was to be taken away.
bool RequestHeaderAuthenticator::HopsAway(const http::Headers& headers) const {
  for (std::string_view value : headers.GetAll("Connection")) {
    while (!value.empty()) {
      const std::size_t comma = value.find(',');
      if (IsOurs(TrimBlanks(value.substr(0, comma)))) return true;
      value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
    }
  }
  return false;
}

Authentication RequestHeaderAuthenticator::Identify(const http::Request& request) const {
  if (!IsProxy(request)) return UserPointer();
  if (HopsAway(request.headers)) return Unauthorized("Connection names a header of the identity");
  Result<std::string> name = SingleOf(request.headers, config_.username_headers);
  if (!name.ok()) return name.status();
  if (name->empty()) return UserPointer();
  Result<std::string> uid = SingleOf(request.headers, config_.uid_headers);
  if (!uid.ok()) return uid.status();
  UserInfo user;
  user.name = *std::move(name);
  user.uid = *std::move(uid);
  for (const auto& [header, value] : request.headers.all()) {
    if (value.empty()) continue;
    if (IsOneOf(header, config_.group_headers)) user.groups.push_back(value);
    for (const std::string& prefix : config_.extra_header_prefixes) {
      if (!HasPrefix(header, prefix)) continue;
      const std::string key = LowerCase(std::string_view(header).substr(prefix.size()));
      user.extra[PercentDecode(key, false).value_or(key)].push_back(value);
      break;
    }
  }
  return MakeAuthenticated(std::move(user));
}

}  // namespace asyncops::apiserver
