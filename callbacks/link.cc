#include "callbacks/link.h"

#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::callbacks {
namespace {

constexpr std::string_view kPrefix = "/callbacks/";
constexpr std::string_view kSystems = "systems";
// Longer than any name of Kubernetes, and than any token of ours.
constexpr std::size_t kMaxSegment = 512;
constexpr std::int64_t kMaxSubmission = 1'000'000'000;

bool IsSegment(std::string_view text) {
  if (text.empty() || text.size() > kMaxSegment) return false;
  for (const char c : text) {
    if (!IsAlphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

}  // namespace

std::string Links::UrlWithPlaceholder(const LinkSubject& subject) const {
  return base_url_ + std::string(kPrefix) + subject.namespace_name + "/" + subject.name + "/" +
         std::string(kTokenPlaceholder);
}

std::string Links::MacOf(const LinkSubject& subject) const {
  // No name of Kubernetes holds a slash, so the parts cannot run into each other.
  return HmacSha256(key_, "callback/" + subject.namespace_name + "/" + subject.name + "/" +
                              subject.uid + "/" + std::to_string(subject.submission));
}

std::string Links::Token(const LinkSubject& subject) const {
  return Base64UrlEncode(MacOf(subject)) + "_" + std::to_string(subject.submission) + "_" +
         subject.uid;
}

std::optional<LinkSubject> Links::Check(std::string_view namespace_name, std::string_view name,
                                        std::string_view token) const {
  LinkSubject subject{std::string(namespace_name), std::string(name), "", 0};
  // The MAC may hold '_' itself; submission and uid do not.
  const std::size_t uid_at = token.rfind('_');
  const std::size_t submission_at = uid_at == 0 || uid_at == std::string_view::npos
                                        ? std::string_view::npos
                                        : token.rfind('_', uid_at - 1);
  std::string given;
  if (submission_at != std::string_view::npos) {
    subject.uid = token.substr(uid_at + 1);
    const auto number = ParseInt64(token.substr(submission_at + 1, uid_at - submission_at - 1));
    if (number && *number > 0 && *number < kMaxSubmission)
      subject.submission = static_cast<int>(*number);
    given = Base64UrlDecode(token.substr(0, submission_at)).value_or("");
  }
  if (!ConstantTimeEquals(MacOf(subject), given) || subject.submission == 0) return std::nullopt;
  return subject;
}

std::string HashToken(std::string_view token) { return HexEncode(Sha256(token)); }

std::optional<LinkPath> ParseLinkPath(std::string_view path) {
  if (!path.starts_with(kPrefix)) return std::nullopt;
  path.remove_prefix(kPrefix.size());
  std::array<std::string_view, 3> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t slash = path.find('/');
    if ((slash == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts.at(i) = path.substr(0, slash);
    if (!IsSegment(parts.at(i))) return std::nullopt;
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  const bool has_token = parts[2].find('_') != std::string_view::npos;
  if (has_token)
    return LinkPath{std::string(parts[0]), std::string(parts[1]), std::string(parts[2])};
  if (parts[1] != kSystems) return std::nullopt;
  return LinkPath{std::string(parts[0]), std::string(parts[2]), ""};
}

bool IsLinkPath(std::string_view path) { return path.starts_with(kPrefix); }

}  // namespace asyncops::callbacks
