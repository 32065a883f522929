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
          "How the system is asked to call back. Not carried out by this release: poll instead.")
          .Field("inject", &CallbackSpec::inject,
                 "Where the callback URL is put into the submit; nowhere where absent.")
          .Field("correlate", &CallbackSpec::correlate,
                 "The operation's ID within the event, such as /data/id.",
                 {.format = StringFormat::kExpression, .max_length = 4096});
  return kBinding;
}

const ObjectBinding<CallbackVerification>& CallbackVerification::Binding() {
  static const auto kBinding =
      ObjectBinding<CallbackVerification>(
          "dev.asyncops.v1alpha1.CallbackVerification",
          "How callbacks are verified. Not carried out by this release: operations are polled.")
          .Field(
              "scheme", &CallbackVerification::scheme,
              "How the system signs its callbacks, such as StandardWebhooks.",
              {.required = true,
               .enum_values = {"StandardWebhooks", "GitHub", "Stripe", "Slack", "HMAC", "Token"}})
          .Field("secretRefs", &CallbackVerification::secret_refs,
                 "The Secret keys that hold the signing secrets; any of them is accepted, so that "
                 "they can be rotated.",
                 {.max_items = 8})
          .Field("tolerance", &CallbackVerification::tolerance,
                 "How old or early a signed time may be, such as 5m, which is the default.",
                 {.default_value = "5m"})
          .Field("trustPayload", &CallbackVerification::trust_payload,
                 "Takes the state from a verified callback instead of polling at once; false where "
                 "absent.");
  return kBinding;
}

}  // namespace asyncops
