#include "callbacks/signature.h"

#include <array>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::callbacks {
namespace {

constexpr std::array<std::pair<std::string_view, Scheme>, 6> kSchemes = {{
    {"StandardWebhooks", Scheme::kStandardWebhooks},
    {"GitHub", Scheme::kGitHub},
    {"Stripe", Scheme::kStripe},
    {"Slack", Scheme::kSlack},
    {"HMAC", Scheme::kHmac},
    {"Token", Scheme::kToken},
}};

// A sender that rotates its secrets signs with two or three of them.
constexpr std::size_t kMaxSignatures = 8;
// Each costs as much as some dozen of the others.
constexpr std::size_t kMaxPublicKeySignatures = 4;
constexpr std::size_t kMaxTimestampDigits = 12;

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(separators);
    if (const std::string_view part = text.substr(0, end); !part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::optional<std::string> HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned int byte = 0;
    const char* end = text.data() + i + 2;
    const auto [stop, error] = std::from_chars(text.data() + i, end, byte, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

// Seconds since 1970; nothing where the text is anything but digits.
std::optional<Time> ParseTimestamp(std::string_view text) {
  if (text.empty() || text.size() > kMaxTimestampDigits) return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return Time(std::chrono::seconds(seconds));
}

bool IsWithin(Time signed_at, Time now, Duration tolerance) {
  const Duration age = now - signed_at;
  return age <= tolerance && -age <= tolerance;
}

// Whether one of the secrets gives one of the signatures. All are compared.
bool MatchesAny(const std::vector<std::string>& secrets, std::string_view content,
                const std::vector<std::string>& signatures) {
  bool matches = false;
  for (const std::string& secret : secrets) {
    // Anybody can sign with no secret at all.
    if (secret.empty()) continue;
    const std::string mac = HmacSha256(secret, content);
    for (const std::string& signature : signatures)
      matches = ConstantTimeEquals(mac, signature) || matches;
  }
  return matches;
}

Check Refuse(Refusal refusal) { return {.refusal = refusal, .message_id = {}}; }

// A refusal before anything was computed takes the time of one that came after.
Check RefuseUnread(const Message& message) {
  HmacSha256("no secret", message.body);
  return Refuse(Refusal::kAbsent);
}

struct SignedParts {
  std::string content;
  std::vector<std::string> signatures;  // raw bytes
  std::optional<Time> signed_at;
  std::string message_id;
  bool id_is_signed = false;
};

Check Judge(const Verification& verification, const SignedParts& parts, Time now) {
  if (!MatchesAny(verification.secrets, parts.content, parts.signatures))
    return Refuse(Refusal::kMismatch);
  if (parts.signed_at && !IsWithin(*parts.signed_at, now, verification.tolerance))
    return Refuse(Refusal::kStale);
  return {.refusal = Refusal::kNone,
          .message_id = parts.message_id,
          .id_is_signed = parts.id_is_signed};
}

// --- Standard Webhooks 1.0 ---

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::string_view kPublicKeyPrefix = "whpk_";

struct WebhookKeys {
  std::vector<std::string> secrets;
  std::vector<std::string> public_keys;
};

WebhookKeys KeysOf(const std::vector<std::string>& secrets) {
  WebhookKeys keys;
  for (std::string_view text : secrets) {
    const bool is_public = text.starts_with(kPublicKeyPrefix);
    if (is_public) text.remove_prefix(kPublicKeyPrefix.size());
    if (text.starts_with(kSecretPrefix)) text.remove_prefix(kSecretPrefix.size());
    std::optional<std::string> bytes = Base64Decode(text);
    if (bytes) (is_public ? keys.public_keys : keys.secrets).push_back(*std::move(bytes));
  }
  return keys;
}

// Those of one version in the list `v1,BASE64 v1a,BASE64`.
std::vector<std::string> WebhookSignatures(const Message& message, std::string_view version,
                                           std::size_t limit) {
  std::vector<std::string> signatures;
  for (const std::string_view value : FindHeaders(message, "webhook-signature")) {
    for (const std::string_view part : Split(value, " ")) {
      if (signatures.size() == limit) return signatures;
      if (part.size() <= version.size() || !part.starts_with(version)) continue;
      if (part[version.size()] != ',') continue;
      std::optional<std::string> bytes = Base64Decode(part.substr(version.size() + 1));
      if (bytes) signatures.push_back(*std::move(bytes));
    }
  }
  return signatures;
}

Check VerifyStandardWebhooks(const Verification& verification, const Message& message, Time now) {
  const std::string_view id = FindHeader(message, "webhook-id");
  const std::string_view timestamp = FindHeader(message, "webhook-timestamp");
  SignedParts parts;
  parts.signed_at = ParseTimestamp(timestamp);
  // A dot would let the end of the ID be read as a time.
  if (id.empty() || id.find('.') != std::string_view::npos || !parts.signed_at)
    return RefuseUnread(message);
  parts.content.append(id).append(".").append(timestamp).append(".").append(message.body);
  parts.message_id = id;
  parts.id_is_signed = true;
  const WebhookKeys keys = KeysOf(verification.secrets);
  bool matches = false;
  const auto signatures = WebhookSignatures(message, "v1a", kMaxPublicKeySignatures);
  for (const std::string& key : keys.public_keys) {
    for (const std::string& signature : signatures)
      matches = Ed25519Verify(key, parts.content, signature) || matches;
  }
  if (matches) {
    if (!IsWithin(*parts.signed_at, now, verification.tolerance)) return Refuse(Refusal::kStale);
    return {.refusal = Refusal::kNone, .message_id = parts.message_id, .id_is_signed = true};
  }
  parts.signatures = WebhookSignatures(message, "v1", kMaxSignatures);
  if (parts.signatures.empty()) return RefuseUnread(message);
  Verification with_keys = verification;
  with_keys.secrets = keys.secrets;
  return Judge(with_keys, parts, now);
}

// --- Stripe: `t=SECONDS,v1=HEX[,v1=HEX]` ---

Check VerifyStripe(const Verification& verification, const Message& message, Time now) {
  SignedParts parts;
  std::string_view timestamp;
  for (const std::string_view item : Split(FindHeader(message, "Stripe-Signature"), ",")) {
    if (item.starts_with("t=")) timestamp = item.substr(2);
    if (!item.starts_with("v1=") || parts.signatures.size() == kMaxSignatures) continue;
    std::optional<std::string> bytes = HexDecode(item.substr(3));
    if (bytes) parts.signatures.push_back(*std::move(bytes));
  }
  parts.signed_at = ParseTimestamp(timestamp);
  if (!parts.signed_at || parts.signatures.empty()) return RefuseUnread(message);
  parts.content.append(timestamp).append(".").append(message.body);
  return Judge(verification, parts, now);
}

// --- one header with an HMAC: GitHub, Slack, and what a declaration describes ---

HmacForm FormOf(const Verification& verification) {
  if (verification.scheme == Scheme::kGitHub) {
    return {.header = "X-Hub-Signature-256", .prefix = "sha256=", .id_header = "X-GitHub-Delivery"};
  }
  if (verification.scheme == Scheme::kSlack) {
    return {.header = "X-Slack-Signature",
            .prefix = "v0=",
            .content = "v0:${timestamp}:${body}",
            .timestamp_header = "X-Slack-Request-Timestamp"};
  }
  return verification.form;
}

std::string ContentOf(std::string_view form, std::string_view timestamp, std::string_view id,
                      const std::string& body) {
  std::string content;
  while (!form.empty()) {
    const std::size_t next = form.find("${");
    content += form.substr(0, next);
    if (next == std::string_view::npos) break;
    form.remove_prefix(next);
    const std::size_t end = form.find('}');
    const std::string_view name = form.substr(0, end);
    if (name == "${body") content += body;
    if (name == "${timestamp") content += timestamp;
    if (name == "${id") content += id;
    if (end == std::string_view::npos) break;
    form.remove_prefix(end + 1);
  }
  return content;
}

Check VerifyHmac(const Verification& verification, const Message& message, Time now) {
  const HmacForm form = FormOf(verification);
  SignedParts parts;
  for (const std::string_view value : FindHeaders(message, form.header)) {
    for (std::string_view item : Split(value, ", ")) {
      if (!item.starts_with(form.prefix) || parts.signatures.size() == kMaxSignatures) continue;
      item.remove_prefix(form.prefix.size());
      std::optional<std::string> bytes = form.base64 ? Base64Decode(item) : HexDecode(item);
      if (bytes) parts.signatures.push_back(*std::move(bytes));
    }
  }
  std::string_view timestamp;
  if (!form.timestamp_header.empty()) {
    timestamp = FindHeader(message, form.timestamp_header);
    parts.signed_at = ParseTimestamp(timestamp);
    if (!parts.signed_at) return RefuseUnread(message);
  }
  if (!form.id_header.empty()) parts.message_id = FindHeader(message, form.id_header);
  parts.id_is_signed = form.content.find("${id}") != std::string::npos;
  if (parts.signatures.empty() || (parts.id_is_signed && parts.message_id.empty()))
    return RefuseUnread(message);
  parts.content = ContentOf(form.content, timestamp, parts.message_id, message.body);
  return Judge(verification, parts, now);
}

// --- Token: a secret that is shown, not used ---

Check VerifyToken(const Verification& verification, const Message& message) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view value = FindHeader(message, "Authorization");
  if (value.size() <= kBearer.size() || !EqualsIgnoreCase(value.substr(0, kBearer.size()), kBearer))
    return RefuseUnread(message);
  HmacSha256("no secret", message.body);
  // Digests are of one length, so that the comparison tells nothing of the secret's.
  const std::string shown = Sha256(value.substr(kBearer.size()));
  bool matches = false;
  for (const std::string& secret : verification.secrets)
    matches = (!secret.empty() && ConstantTimeEquals(Sha256(secret), shown)) || matches;
  return Refuse(matches ? Refusal::kNone : Refusal::kMismatch);
}

}  // namespace

std::optional<Scheme> ParseScheme(std::string_view name) {
  for (const auto& [known, scheme] : kSchemes) {
    if (known == name) return scheme;
  }
  return std::nullopt;
}

std::string_view SchemeName(Scheme scheme) {
  for (const auto& [name, known] : kSchemes) {
    if (known == scheme) return name;
  }
  return "";
}

std::string_view RefusalName(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone: return "none";
    case Refusal::kAbsent: return "absent";
    case Refusal::kMismatch: return "mismatch";
    case Refusal::kStale: return "stale";
  }
  return "";
}

Check Verify(const Verification& verification, const Message& message, Time now) {
  switch (verification.scheme) {
    case Scheme::kStandardWebhooks: return VerifyStandardWebhooks(verification, message, now);
    case Scheme::kStripe: return VerifyStripe(verification, message, now);
    case Scheme::kToken: return VerifyToken(verification, message);
    case Scheme::kGitHub:
    case Scheme::kSlack:
    case Scheme::kHmac: break;
  }
  return VerifyHmac(verification, message, now);
}

}  // namespace asyncops::callbacks
