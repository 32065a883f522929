#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<LookupSpec>& LookupSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<LookupSpec>("dev.asyncops.v1alpha1.Lookup",
                                "A call that finds out whether an ambiguous submit took effect.")
          .Field("method", &LookupSpec::method, "HTTP method of the call; GET where absent.",
                 {.enum_values = {"GET", "POST"}})
          .Field("path", &LookupSpec::path,
                 "What to ask, a template such as \"/volumes?tag=${operation.correlationID}\".",
                 {.required = true,
                  .format = StringFormat::kTemplate,
                  .min_length = 1,
                  .max_length = 4096})
          .Field("headers", &LookupSpec::headers,
                 "Headers to send beside those of the ExternalSystem; values are templates, as in "
                 "submit.",
                 {.max_items = 64})
          .Field("body", &LookupSpec::body,
                 "The JSON to send; each string in it is a template, such as {id: "
                 "\"${operation.id}\"}. Where absent, no body is sent.")
          .Field("found", &LookupSpec::found,
                 "Whether the response shows it, such as size(response.body.items) > 0.",
                 {.required = true,
                  .format = StringFormat::kExpression,
                  .min_length = 1,
                  .max_length = 4096})
          .Field("id", &LookupSpec::id,
                 "The ID of what was found, such as /items/0/id. It becomes operation.id and "
                 "operation.resourceID.",
                 {.required = true,
                  .format = StringFormat::kExpression,
                  .min_length = 1,
                  .max_length = 4096})
          .Field("pollURL", &LookupSpec::poll_url,
                 "The URL to poll for what was found, such as /items/0/selfLink; a relative one is "
                 "resolved against the URL of the submit. Needed where poll.path is absent and the "
                 "preset has none.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field(
              "settle", &LookupSpec::settle,
              "How long after the last send a miss counts, such as 2m: longer than the system may "
              "hold a request back, and 1s at least. 60s or twice limits.requestTimeout, the "
              "greater, where absent.");
  return kBinding;
}

const ObjectBinding<RecoverySpec>& RecoverySpec::Binding() {
  static const auto kBinding =
      ObjectBinding<RecoverySpec>(
          "dev.asyncops.v1alpha1.Recovery",
          "What to do when it is unknown whether a submit took effect (a timeout, a broken "
          "connection, a crash). A valid idempotency key is used first.")
          .Field("lookup", &RecoverySpec::lookup,
                 "Looks the thing up; a hit is adopted, a miss is submitted again.")
          .Field("onUnknown", &RecoverySpec::on_unknown,
                 "Where neither a key nor a lookup can tell: Park stops in OutcomeUnknown until a "
                 "person resolves it, Fail ends the operation. Park where absent.",
                 {.enum_values = {"Park", "Fail"}})
          .Field("adoptOn", &RecoverySpec::adopt_on,
                 "Statuses that mean \"exists already\" after an ambiguous attempt, such as [409]: "
                 "the thing is looked up and adopted, and it is no failure.",
                 {.minimum = 400, .maximum = 499, .max_items = 16});
  return kBinding;
}

const ObjectBinding<CancelSpec>& CancelSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<CancelSpec>(
          "dev.asyncops.v1alpha1.Cancel",
          "How a running operation is cancelled outside, when its activeDeadline has passed.")
          .Field("method", &CancelSpec::method, "HTTP method of the call; POST where absent.",
                 {.enum_values = {"POST", "DELETE", "PUT", "PATCH"}})
          .Field("path", &CancelSpec::path,
                 "Where to send it, a template such as \"${operation.pollURL}:cancel\".",
                 {.required = true,
                  .format = StringFormat::kTemplate,
                  .min_length = 1,
                  .max_length = 4096})
          .Field("headers", &CancelSpec::headers,
                 "Headers to send beside those of the ExternalSystem; values are templates, as in "
                 "submit.",
                 {.max_items = 64})
          .Field("body", &CancelSpec::body,
                 "The JSON to send; each string in it is a template, such as {id: "
                 "\"${operation.id}\"}. Where absent, no body is sent.")
          .Field("accept", &CancelSpec::accept,
                 "Statuses that also mean it was accepted, such as [404]; 2xx always does.",
                 {.minimum = 200, .maximum = 599, .max_items = 32});
  return kBinding;
}

}  // namespace asyncops
