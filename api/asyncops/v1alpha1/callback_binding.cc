#include "api/asyncops/v1alpha1/external_system.h"
#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<CallbackInjection>& CallbackInjection::Binding() {
  static const auto kBinding =
      ObjectBinding<CallbackInjection>("dev.asyncops.v1alpha1.CallbackInjection",
                                       "Where the callback URL is put into the submit.")
          .Field("in", &CallbackInjection::in, "The part of the request that takes the URL.",
                 {.required = true, .enum_values = {"Body", "Header", "Query"}})
          .Field("pointer", &CallbackInjection::pointer,
                 "With in: Body, the JSON Pointer to put it at, such as /callbackUrl.",
                 {.max_length = 1024})
          .Field("name", &CallbackInjection::name,
                 "With in: Header or Query, the name of the header or parameter.",
                 {.max_length = 256});
  return kBinding;
}

const ObjectBinding<CallbackSpec>& CallbackSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<CallbackSpec>(
          "dev.asyncops.v1alpha1.Callback",
          "How the system calls back. A callback makes us poll at once; polling goes on without.")
          .Field("inject", &CallbackSpec::inject,
                 "Where the callback URL is put into the submit; nowhere where absent.")
          .Field("correlate", &CallbackSpec::correlate,
                 "The operation's ID within the event, such as /data/id. An event that names "
                 "another one is no more than a reason to poll.",
                 {.format = StringFormat::kExpression, .max_length = 4096});
  return kBinding;
}

const ObjectBinding<CallbackHmac>& CallbackHmac::Binding() {
  static const auto kBinding =
      ObjectBinding<CallbackHmac>(
          "dev.asyncops.v1alpha1.CallbackHmac",
          "Where the signature stands, and what is signed, with HMAC-SHA256.")
          .Field("header", &CallbackHmac::header, "The header that carries the signature.",
                 {.default_value = "X-Signature", .max_length = 256})
          .Field("prefix", &CallbackHmac::prefix,
                 "What stands before the signature in the header, such as sha256=.",
                 {.max_length = 64})
          .Field("encoding", &CallbackHmac::encoding, "How the signature is written.",
                 {.default_value = "Hex", .enum_values = {"Hex", "Base64"}})
          .Field("content", &CallbackHmac::content,
                 "What is signed: ${body}, and ${timestamp} and ${id} where their headers are "
                 "given, with the text between them, such as ${timestamp}.${body}. The body alone "
                 "where absent.",
                 {.max_length = 256})
          .Field("timestampHeader", &CallbackHmac::timestamp_header,
                 "The header that says when it was signed, in seconds since 1970. content must "
                 "hold ${timestamp} then.",
                 {.max_length = 256})
          .Field("idHeader", &CallbackHmac::id_header,
                 "The header that names the message, so that its second delivery is known.",
                 {.max_length = 256});
  return kBinding;
}

const ObjectBinding<CallbackVerification>& CallbackVerification::Binding() {
  static const auto kBinding =
      ObjectBinding<CallbackVerification>(
          "dev.asyncops.v1alpha1.CallbackVerification",
          "How callbacks of the system are verified. Where absent, the URL of an operation is "
          "secret enough, and the system has no URL of its own.")
          .Field(
              "scheme", &CallbackVerification::scheme,
              "How the system signs its callbacks. With Token it does not: it knows the URL of "
              "the operation, or sends one of the secrets as a bearer token.",
              {.required = true,
               .enum_values = {"StandardWebhooks", "GitHub", "Stripe", "Slack", "HMAC", "Token"}})
          .Field("secretRefs", &CallbackVerification::secret_refs,
                 "The Secret keys that hold the signing secrets; any of them is accepted, so that "
                 "they can be rotated.",
                 {.max_items = 8})
          .Field("hmac", &CallbackVerification::hmac, "With scheme: HMAC, what is signed and how.")
          .Field(
              "correlate", &CallbackVerification::correlate,
              "The operation's ID within an event, such as /data/id: it finds the operation of a "
              "callback to /callbacks/NAMESPACE/systems/NAME. That URL is not served where this "
              "is absent.",
              {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("tolerance", &CallbackVerification::tolerance,
                 "How old or early a signed time may be, such as 5m, which is the default.",
                 {.default_value = "5m"})
          .Field("trustPayload", &CallbackVerification::trust_payload,
                 "Takes the end of an operation from a signed callback, by the acceptors of its "
                 "poll, instead of polling; false where absent.");
  return kBinding;
}

}  // namespace asyncops
