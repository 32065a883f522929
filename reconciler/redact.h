// Takes secrets out of what is stored and shown, by their value.
#ifndef ASYNCOPS_RECONCILER_REDACT_H_
#define ASYNCOPS_RECONCILER_REDACT_H_

#include <bitset>
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
// as in JSON. Reads a text once, however many secrets there are: they may be all that an answer
// says. Immutable.
class Redactor {
 public:
  explicit Redactor(const std::vector<std::string>& secrets);

  // What overlaps is taken out as one.
  std::string RedactText(std::string_view text) const;
  // In strings, names of members, and integers that are a secret.
  Json RedactJson(const Json& value) const;

 private:
  struct Form {
    std::string text;
    std::size_t shorter;  // the place of the longest other form that it starts with; or kNone
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The length of the longest form that `text` starts with; 0 where it starts with none.
  std::size_t MatchAt(std::string_view text) const;

  std::vector<Form> forms_;  // in order, each once
  std::bitset<256> starts_;  // with which bytes they start
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_REDACT_H_
