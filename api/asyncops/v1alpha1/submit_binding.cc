#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<HeaderSpec>& HeaderSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<HeaderSpec>("dev.asyncops.v1alpha1.Header",
                                "A header of the request: a name, and one of value and valueFrom.")
          .Field(
              "name", &HeaderSpec::name,
              "Name of the header, such as X-Environment. Authorization and the headers that frame "
              "a message cannot be set here.",
              {.required = true, .min_length = 1, .max_length = 256})
          .Field(
              "value", &HeaderSpec::value,
              "The value, a template such as \"prod-${metadata.namespace}\". It is stored with the "
              "operation: use valueFrom for anything secret.",
              {.format = StringFormat::kTemplate, .max_length = 8192})
          .Field("valueFrom", &HeaderSpec::value_from,
                 "Reads the value from a Secret instead; excludes value.");
  return kBinding;
}

const ObjectBinding<SubmitSpec>& SubmitSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<SubmitSpec>("dev.asyncops.v1alpha1.Submit",
                                "The call that starts the operation.")
          .Field(
              "method", &SubmitSpec::method,
              "HTTP method of the call. Where absent, DELETE in a delete step and POST elsewhere.",
              {.enum_values = {"POST", "PUT", "PATCH", "DELETE", "GET"}})
          .Field(
              "path", &SubmitSpec::path,
              "Where to send it: a template such as \"/volumes/${spec.parameters.name}\" that is "
              "joined to the endpoint's path, or an absolute URL of the endpoint's origin or an "
              "allowed one.",
              {.required = true,
               .format = StringFormat::kTemplate,
               .min_length = 1,
               .max_length = 4096})
          .Field("headers", &SubmitSpec::headers,
                 "Headers to send beside those of the ExternalSystem. Content-Type is "
                 "application/json where a body is sent and none is given.",
                 {.max_items = 64})
          .Field("body", &SubmitSpec::body,
                 "The JSON to send; each string in it is a template, such as "
                 "{size: \"${spec.parameters.size}\"}. Where absent, no body is sent.");
  return kBinding;
}

const ObjectBinding<OperationMapping>& OperationMapping::Binding() {
  static const auto kBinding =
      ObjectBinding<OperationMapping>("dev.asyncops.v1alpha1.OperationMapping",
                                      "What to read from the answer to the submit. The "
                                      "ExternalSystem's preset fills in what is "
                                      "absent.")
          .Field("id", &OperationMapping::id,
                 "The operation's ID: an expression such as response.body.name, or a JSON Pointer "
                 "into "
                 "the body such as /jobId. It becomes operation.id and status.operationID.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field(
              "pollURL", &OperationMapping::poll_url,
              "The URL to poll, such as response.headers['location']; a relative one is resolved "
              "against the URL of the submit. It becomes operation.pollURL.",
              {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("resourceID", &OperationMapping::resource_id,
                 "The ID of the thing that is made, such as /id, where the answer already tells "
                 "it. It "
                 "becomes operation.resourceID.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("consoleURL", &OperationMapping::console_url,
                 "A page for people, such as 'https://console.acme.example/operations/' + "
                 "operation.id. It becomes status.externalSystemURL.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field(
              "immediate", &OperationMapping::immediate,
              "What a success with nothing to poll means. Succeeded: it is done. Judged: what "
              "poll.acceptors make of it, and a failure where none matches, but for a 204 and in a "
              "delete step. Succeeded where absent and without a preset.",
              {.enum_values = {"Succeeded", "Judged"}});
  return kBinding;
}

}  // namespace asyncops
