#include "api/asyncops/v1alpha1/callback_rules.h"

#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/header_rules.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/ascii.h"
#include "base/duration.h"

namespace asyncops {
namespace {

// A message may be played again for this long, and as long we must remember it.
constexpr std::chrono::hours kMaxTolerance{1};

bool Holds(std::string_view content, std::string_view placeholder) {
  return content.find(placeholder) != std::string_view::npos;
}

void CheckHeader(const std::string& path, const std::string& name, ValidationResult* out) {
  if (!name.empty()) CheckHeaderName(path, name, HeaderUse::kCredential, out);
}

// "": every placeholder is known, stands once, and ends where text begins. What follows a time
// directly could be moved into it without changing what is signed.
std::string ContentMistake(std::string_view content) {
  std::string seen;
  bool after_placeholder = false;
  while (!content.empty()) {
    if (!content.starts_with("${")) {
      after_placeholder = false;
      content.remove_prefix(1);
      continue;
    }
    const std::size_t end = content.find('}');
    const std::string name(content.substr(0, end == std::string_view::npos ? end : end + 1));
    if (name != "${body}" && name != "${timestamp}" && name != "${id}")
      return "knows ${body}, ${timestamp} and ${id}, not " + name;
    if (Holds(seen, name)) return "holds " + name + " twice";
    if (after_placeholder) return "needs text before " + name + ", such as a dot";
    seen += name;
    after_placeholder = true;
    content.remove_prefix(name.size());
  }
  return Holds(seen, "${body}") ? "" : "must hold ${body}: it is what the signature is for";
}

// What a header brings and what is signed go together.
void CheckSigned(const std::string& path, const CallbackHmac& hmac, std::string_view placeholder,
                 const std::string& header, std::string_view field, ValidationResult* out) {
  const bool is_signed = Holds(hmac.content, placeholder);
  if (is_signed && header.empty())
    out->errors.push_back(RequiredField(
        path + "." + std::string(field),
        "content holds " + std::string(placeholder) + ": say which header brings it"));
}

void CheckHmac(const std::string& path, const CallbackHmac& hmac, ValidationResult* out) {
  CheckHeader(path + ".header", hmac.header, out);
  CheckHeader(path + ".timestampHeader", hmac.timestamp_header, out);
  CheckHeader(path + ".idHeader", hmac.id_header, out);
  if (!hmac.content.empty()) {
    if (const std::string mistake = ContentMistake(hmac.content); !mistake.empty()) {
      out->errors.push_back(InvalidField(path + ".content", hmac.content, mistake));
      return;
    }
  }
  CheckSigned(path, hmac, "${timestamp}", hmac.timestamp_header, "timestampHeader", out);
  CheckSigned(path, hmac, "${id}", hmac.id_header, "idHeader", out);
  if (!hmac.timestamp_header.empty() && !Holds(hmac.content, "${timestamp}"))
    out->errors.push_back(InvalidField(path + ".content", hmac.content,
                                       "must hold ${timestamp}, such as ${timestamp}.${body}: a "
                                       "time that is not signed proves nothing"));
}

}  // namespace

void CheckCallback(const std::string& path, const std::optional<CallbackSpec>& callback,
                   ValidationResult* out) {
  if (!callback) return;
  if (!callback->inject && callback->correlate.empty())
    out->errors.push_back(RequiredField(
        path,
        "give inject, so that the system knows where to call, or correlate, so that its "
        "calls find the operation"));
  if (const auto& inject = callback->inject)
    CheckPlacement(path + ".inject", {inject->in, inject->name, inject->pointer}, out);
  CheckExpression(path + ".correlate", callback->correlate, expr::EventEnvironment(), out);
}

void CheckCallbackVerification(const std::string& path,
                               const std::optional<CallbackVerification>& verification,
                               ValidationResult* out) {
  if (!verification) return;
  const bool is_signed = verification->scheme != "Token";
  const std::vector<SecretKeyRef>& refs = verification->secret_refs;
  if (is_signed && refs.empty() && !verification->scheme.empty())
    out->errors.push_back(RequiredField(
        path + ".secretRefs", "name the Secret keys that hold what " + verification->scheme +
                                  " callbacks are signed with"));
  for (std::size_t i = 0; i < refs.size(); ++i)
    CheckSecretKeyRef(FieldPath(path + ".secretRefs", i), refs[i], out);
  if (verification->hmac) {
    if (verification->scheme == "HMAC") {
      CheckHmac(path + ".hmac", *verification->hmac, out);
    } else {
      out->errors.push_back(ForbiddenField(
          path + ".hmac", "belongs to scheme: HMAC; remove it, or write scheme: HMAC"));
    }
  }
  CheckExpression(path + ".correlate", verification->correlate, expr::EventEnvironment(), out);
  if (!is_signed && refs.empty() && !verification->correlate.empty())
    out->errors.push_back(
        RequiredField(path + ".secretRefs",
                      "the URL of a system is no secret: name the Secret keys that hold the bearer "
                      "tokens of its callbacks"));
  CheckPositive(path + ".tolerance", verification->tolerance, out);
  if (verification->tolerance && *verification->tolerance > kMaxTolerance)
    out->errors.push_back(InvalidField(path + ".tolerance",
                                       FormatDuration(*verification->tolerance),
                                       "must be at most " + FormatDuration(kMaxTolerance)));
  if (verification->trust_payload && !is_signed)
    out->errors.push_back(ForbiddenField(
        path + ".trustPayload",
        "what is not signed is not trusted; remove it, or take a scheme that signs"));
}

}  // namespace asyncops
