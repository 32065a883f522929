#include "api/asyncops/v1alpha1/header_rules.h"

#include <algorithm>
#include <array>

#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/ascii.h"

namespace asyncops {
namespace {

constexpr std::array<std::string_view, 10> kFraming = {
    "Host",    "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE",
    "Trailer", "Expect",         "Proxy-Connection"};
constexpr std::array<std::string_view, 3> kCredentials = {"Authorization", "Proxy-Authorization",
                                                          "Cookie"};

template <std::size_t kSize>
bool IsOneOf(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view other) { return EqualsIgnoreCase(name, other); });
}

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

void CheckValue(const std::string& path, const HeaderSpec& header,
                const expr::Environment& environment, ValidationResult* out) {
  const bool secret = LooksLikeCredential(header.name);
  if (HasControlCharacter(header.value)) {
    out->errors.push_back(InvalidField(path, secret ? Json() : Json(header.value),
                                       "must not contain line breaks or control characters"));
  }
  CheckTemplate(path, header.value, environment, secret, out);
  if (secret && header.value.find("${") == std::string::npos)
    Warn(path + " looks like a credential and is stored: use valueFrom.secretKeyRef", out);
}

void CheckHeader(const std::string& path, const HeaderSpec& header,
                 const expr::Environment& environment, ValidationResult* out) {
  CheckHeaderName(path + ".name", header.name, HeaderUse::kRequest, out);
  if (header.value_from) {
    if (!header.value.empty())
      out->errors.push_back(
          ForbiddenField(path + ".valueFrom", "excludes value; give one of the two"));
    CheckSecretKeyRef(path + ".valueFrom.secretKeyRef", header.value_from->secret_key_ref, out);
  } else if (header.value.empty()) {
    out->errors.push_back(
        RequiredField(path + ".value", "give value, or valueFrom with a secretKeyRef"));
  } else {
    CheckValue(path + ".value", header, environment, out);
  }
}

}  // namespace

void CheckHeaderName(const std::string& path, const std::string& name, HeaderUse use,
                     ValidationResult* out) {
  if (name.empty()) return;
  if (!std::all_of(name.begin(), name.end(), IsTokenCharacter)) {
    out->errors.push_back(InvalidField(
        path, name, "must be a header name: letters, digits and '-', such as X-Environment"));
  } else if (IsOneOf(kFraming, name)) {
    out->errors.push_back(
        ForbiddenField(path, name + " is set by the HTTP client; remove this header"));
  } else if (use == HeaderUse::kRequest && IsOneOf(kCredentials, name)) {
    out->errors.push_back(ForbiddenField(
        path, name + " carries credentials; put them in spec.auth of the ExternalSystem, as "
                     "bearerTokenSecretRef, basic or headers"));
  }
}

void CheckHeaders(const std::string& path, const std::vector<HeaderSpec>& headers,
                  const expr::Environment& environment, ValidationResult* out) {
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string item = FieldPath(path, i);
    CheckHeader(item, headers[i], environment, out);
    for (std::size_t j = 0; j < i; ++j) {
      if (!EqualsIgnoreCase(headers[i].name, headers[j].name)) continue;
      out->errors.push_back(DuplicateField(item + ".name", headers[i].name));
      break;
    }
  }
}

}  // namespace asyncops
