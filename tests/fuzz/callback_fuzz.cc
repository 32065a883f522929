// A callback of a stranger: headers on lines of their own, an empty line, the body. Whatever it is,
// no scheme takes it; and what is signed well is taken.
#include "callbacks/link.h"
#include "callbacks/signature.h"

#include "base/crypto.h"
#include "base/encoding.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

using callbacks::Check;
using callbacks::Message;
using callbacks::Refusal;
using callbacks::Scheme;
using callbacks::Verification;

const std::string kSecret = "a secret that no input can know";
constexpr std::int64_t kNow = 1'700'000'000;

Message MessageOf(std::string_view input) {
  Message message;
  while (!input.empty()) {
    const Split split = SplitLine(input);
    input = split.rest;
    if (split.first.empty()) break;
    const std::size_t colon = split.first.find(':');
    if (colon == std::string_view::npos) continue;
    message.headers.emplace_back(split.first.substr(0, colon), split.first.substr(colon + 1));
  }
  message.body = input;
  return message;
}

Verification VerificationOf(Scheme scheme) {
  Verification verification{.scheme = scheme, .secrets = {kSecret}};
  if (scheme == Scheme::kStandardWebhooks) {
    verification.secrets = {"whsec_" + Base64Encode(kSecret),
                            "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="};
  }
  if (scheme == Scheme::kHmac) {
    verification.form.content = "${timestamp}.${id}.${body}";
    verification.form.timestamp_header = "X-Time";
    verification.form.id_header = "X-Id";
  }
  return verification;
}

// The message with a signature of ours in front.
void HoldSigned(Message message) {
  const std::string time = std::to_string(kNow);
  const std::string mac = HmacSha256(kSecret, "m1." + time + "." + message.body);
  message.headers.insert(message.headers.begin(),
                         {{"webhook-id", "m1"},
                          {"webhook-timestamp", time},
                          {"webhook-signature", "v1," + Base64Encode(mac)}});
  const Check check =
      Verify(VerificationOf(Scheme::kStandardWebhooks), message, Time(std::chrono::seconds(kNow)));
  Hold(check.refusal == Refusal::kNone && check.message_id == "m1",
       "what is signed well is taken, whatever follows");
}

}  // namespace

void Run(std::string_view input) {
  const Message message = MessageOf(input);
  for (const Scheme scheme : {Scheme::kStandardWebhooks, Scheme::kGitHub, Scheme::kStripe,
                              Scheme::kSlack, Scheme::kHmac, Scheme::kToken}) {
    const Check check = Verify(VerificationOf(scheme), message, Time(std::chrono::seconds(kNow)));
    Hold(check.refusal != Refusal::kNone, "nobody signs without the secret");
  }
  HoldSigned(message);
  const callbacks::Links links("https://a.example", kSecret);
  const auto path = callbacks::ParseLinkPath(input);
  Hold(!path || !links.Check(path->namespace_name, path->name, path->token),
       "nobody makes a token without the key");
}

}  // namespace asyncops::fuzz
