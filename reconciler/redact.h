// Takes secrets out of what is stored and shown, by their value.
#ifndef ASYNCOPS_RECONCILER_REDACT_H_
#define ASYNCOPS_RECONCILER_REDACT_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace asyncops::reconciler {

inline constexpr std::string_view kRedacted = "[redacted]";
// A shorter secret is not looked for: to take each "a" or "123" out of every answer would make it
// unreadable, and protects nothing that could not be guessed.
inline constexpr std::size_t kMinRedactedBytes = 4;

// Knows each secret as it is, in base64 (both alphabets, padded or not), URL-encoded, and escaped
// as in JSON. Immutable.
class Redactor {
 public:
  explicit Redactor(const std::vector<std::string>& secrets);

  std::string RedactText(std::string_view text) const;
  // In strings, names of members, and integers that are a secret.
  Json RedactJson(const Json& value) const;

 private:
  std::vector<std::string> forms_;  // longest first, so that no rest of a longer one stays
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_REDACT_H_
