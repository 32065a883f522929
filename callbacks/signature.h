// Who sent a callback: the signature schemes. Pure; everything is checked over the raw bytes and
// compared in constant time.
#ifndef ASYNCOPS_CALLBACKS_SIGNATURE_H_
#define ASYNCOPS_CALLBACKS_SIGNATURE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "callbacks/message.h"

#include "base/clock.h"

namespace asyncops::callbacks {

enum class Scheme { kStandardWebhooks, kGitHub, kStripe, kSlack, kHmac, kToken };

// "StandardWebhooks" and so on, as ExternalSystem writes them.
std::optional<Scheme> ParseScheme(std::string_view name);
std::string_view SchemeName(Scheme scheme);

// What kHmac signs, and where it says so.
struct HmacForm {
  std::string header = "X-Signature";
  std::string prefix = {};
  bool base64 = false;                // else hex
  std::string content = "${body}";    // ${body}, ${timestamp} and ${id} among other text
  std::string timestamp_header = {};  // "" where no time is signed
  std::string id_header = {};         // "" where messages have no name
};

// How the callbacks of one system are checked.
struct Verification {
  Scheme scheme = Scheme::kToken;
  HmacForm form = {};  // of kHmac
  // As they stand in the Secrets: any of them is good. Of StandardWebhooks `whsec_` and `whpk_`
  // with base64; others as bytes.
  std::vector<std::string> secrets = {};
  Duration tolerance = std::chrono::minutes(5);
};

// Why a message is not taken; kNone where it is.
enum class Refusal {
  kNone,
  kAbsent,    // no signature, or none that can be read
  kMismatch,  // signed by somebody else, or changed on the way
  kStale,     // signed well, too long ago or too early
};
// "absent" and so on, for metrics.
std::string_view RefusalName(Refusal refusal);

struct Check {
  Refusal refusal = Refusal::kNone;
  std::string message_id;  // "" where the message has no name
  bool id_is_signed = false;
};

// Takes as long for every message of one size that is refused, as far as the bytes of the body
// count: each is hashed at least once.
Check Verify(const Verification& verification, const Message& message, Time now);

}  // namespace asyncops::callbacks

#endif  // ASYNCOPS_CALLBACKS_SIGNATURE_H_
