#include "api/asyncops/v1alpha1/url_rules.h"

#include <algorithm>

#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/uri.h"

namespace asyncops {
namespace {

// Whether the authority of an absolute URL has a user or password.
bool HasUserInformation(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return false;
  const std::string_view rest = url.substr(scheme_end + 3);
  const std::size_t at = rest.find('@');
  return at != std::string_view::npos && at < rest.find_first_of("/?#");
}

bool HasBlankOrControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f;
  });
}

// Why a text is no URL that could be called; nothing where it is one. `example` is what to write
// instead.
std::optional<FieldError> FindUrlMistake(const std::string& path, const std::string& url,
                                         std::string_view example) {
  if (HasUserInformation(url)) {
    // The URL is not shown: it holds a credential.
    return InvalidField(path, Json(),
                        "must not carry a user or password; put credentials in spec.auth, as "
                        "bearerTokenSecretRef, basic or headers");
  }
  if (url.find('#') != std::string::npos)
    return InvalidField(path, url, "must not have a fragment; remove the part from '#' on");
  if (!ParseUri(url)) {
    return InvalidField(path, url,
                        "must be an absolute http or https URL such as " + std::string(example));
  }
  return std::nullopt;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::optional<FieldError> FindPathMistake(const std::string& path, const std::string& text) {
  const std::string_view literal = std::string_view(text).substr(0, text.find("${"));
  const bool is_literal = literal.size() == text.size();
  if (HasBlankOrControl(literal))
    return InvalidField(path, text,
                        "must not contain spaces or control characters; write them as %20 and the "
                        "like");
  if (StartsWith(literal, "//") || StartsWith(literal, "/\\"))
    return InvalidField(path, text,
                        "must not start with \"//\"; write \"/\" and the path, or a URL with its "
                        "scheme");
  if (StartsWith(literal, "http://") || StartsWith(literal, "https://")) {
    if (is_literal || HasUserInformation(literal))
      return FindUrlMistake(path, text, "https://api.acme.example/v1/volumes");
    return std::nullopt;
  }
  if (is_literal && literal.find('#') != std::string_view::npos)
    return InvalidField(path, text, "must not have a fragment; remove the part from '#' on");
  if (StartsWith(literal, "/") || (literal.empty() && !is_literal)) return std::nullopt;
  return InvalidField(
      path, text,
      "must start with \"/\" (it is joined to the endpoint's path), be an absolute "
      "http or https URL, or start with an expression such as ${operation.pollURL}");
}

}  // namespace

void CheckEndpoint(const std::string& path, const std::string& url, ValidationResult* out) {
  if (url.empty()) return;
  if (auto mistake = FindUrlMistake(path, url, "https://api.acme.example/v1")) {
    out->errors.push_back(std::move(*mistake));
    return;
  }
  if (url.find('?') != std::string::npos) {
    out->errors.push_back(
        InvalidField(path, url, "must not have a query; put it in the path of each call"));
  }
  if (ParseUri(url)->scheme == "http")
    Warn(path + " is http: credentials and data travel unencrypted; use https", out);
}

void CheckOrigins(const std::string& path, const std::vector<std::string>& origins,
                  ValidationResult* out) {
  static constexpr std::string_view kExample = "https://ops.acme.example";
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const std::string item = FieldPath(path, i);
    if (auto mistake = FindUrlMistake(item, origins[i], kExample)) {
      out->errors.push_back(std::move(*mistake));
      continue;
    }
    const Uri uri = *ParseUri(origins[i]);
    if (uri.target != "/")
      out->errors.push_back(
          InvalidField(item, origins[i],
                       "must be a scheme, host and port alone, such as " + std::string(kExample)));
    else if (std::find(seen.begin(), seen.end(), uri.Origin()) != seen.end())
      out->errors.push_back(DuplicateField(item, origins[i]));
    seen.push_back(uri.Origin());
    if (uri.scheme == "http") Warn(item + " is http: answers can be forged on the way", out);
  }
}

void CheckTokenUrl(const std::string& path, const std::string& url, ValidationResult* out) {
  if (url.empty()) return;
  if (auto mistake = FindUrlMistake(path, url, "https://login.acme.example/token")) {
    out->errors.push_back(std::move(*mistake));
    return;
  }
  const Uri uri = *ParseUri(url);
  const bool loopback = uri.host == "localhost" || uri.host == "::1" ||
                        (uri.host.starts_with("127.") &&
                         uri.host.find_first_not_of("0123456789.") == std::string::npos);
  if (uri.scheme == "https") return;
  if (!loopback) {
    out->errors.push_back(
        InvalidField(path, url, "must be https: the client secret would travel unencrypted"));
  } else {
    Warn(path + " is http: the client secret travels unencrypted; use https", out);
  }
}

void CheckTargetPath(const std::string& path, const std::string& text,
                     const expr::Environment& environment, ValidationResult* out) {
  if (text.empty()) return;
  if (auto mistake = FindPathMistake(path, text)) out->errors.push_back(std::move(*mistake));
  CheckTemplate(path, text, environment, false, out);
}

}  // namespace asyncops
