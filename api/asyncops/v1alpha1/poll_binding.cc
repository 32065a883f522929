#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<Acceptor>& Acceptor::Binding() {
  static const auto kBinding =
      ObjectBinding<Acceptor>(
          "dev.asyncops.v1alpha1.Acceptor",
          "A rule that maps a response to a state; the first that matches decides.")
          .Field(
              "when", &Acceptor::when,
              "A condition on the response, such as response.body.status == 'READY'. A field that "
              "is missing in the response is no match.",
              {.required = true,
               .format = StringFormat::kExpression,
               .min_length = 1,
               .max_length = 4096})
          .Field("state", &Acceptor::state,
                 "The state that a matching response means. NotFound: the system does not know the "
                 "operation, or not yet. Unreadable: the response says nothing of it.",
                 {.required = true,
                  .enum_values = {"Running", "Succeeded", "Failed", "Canceled", "NotFound",
                                  "Unreadable"}});
  return kBinding;
}

const ObjectBinding<ErrorMapping>& ErrorMapping::Binding() {
  static const auto kBinding =
      ObjectBinding<ErrorMapping>(
          "dev.asyncops.v1alpha1.ErrorMapping",
          "Where a failed response tells its reason. The preset fills in what is absent.")
          .Field(
              "code", &ErrorMapping::code,
              "The error's code: an expression, or a JSON Pointer such as /error/code. It becomes "
              "error.code and the reason of conditions.",
              {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("message", &ErrorMapping::message,
                 "The error's text for people, such as /error/message; it becomes error.message.",
                 {.format = StringFormat::kExpression, .max_length = 4096});
  return kBinding;
}

const ObjectBinding<PollInterval>& PollInterval::Binding() {
  static const auto kBinding =
      ObjectBinding<PollInterval>("dev.asyncops.v1alpha1.PollInterval",
                                  "How often to ask. A Retry-After of the system wins.")
          .Field("initial", &PollInterval::initial,
                 "Wait before the first poll, such as 2s; 5s where absent.")
          .Field("max", &PollInterval::max,
                 "The longest wait between two polls, such as 5m; 60s where absent.")
          .Field("factor", &PollInterval::factor,
                 "What each wait is multiplied by to give the next, at least 1; 1.5 where absent.",
                 {.minimum = 1, .maximum = 100});
  return kBinding;
}

const ObjectBinding<ResultSource>& ResultSource::Binding() {
  static const auto kBinding =
      ObjectBinding<ResultSource>("dev.asyncops.v1alpha1.ResultSource",
                                  "Where the finished thing is read from.")
          .Field(
              "from", &ResultSource::from,
              "PollResponse takes the last poll's response; OriginalURL gets the URL of the "
              "submit; Location gets the Location header of the last response; URL gets the given "
              "url; Expression gets the URL that expression gives. The preset decides where "
              "absent.",
              {.required = true,
               .enum_values = {"PollResponse", "OriginalURL", "Location", "URL", "Expression"}})
          .Field("url", &ResultSource::url,
                 "With from: URL, the URL or path to get, a template such as "
                 "\"/volumes/${operation.resourceID}\".",
                 {.format = StringFormat::kTemplate, .max_length = 4096})
          .Field("expression", &ResultSource::expression,
                 "With from: Expression, the URL to get, such as response.body.resourceLocation; "
                 "one without a value, or empty, leaves the last poll's response.",
                 {.format = StringFormat::kExpression, .max_length = 4096});
  return kBinding;
}

const ObjectBinding<PollSpec>& PollSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<PollSpec>(
          "dev.asyncops.v1alpha1.Poll",
          "How to ask whether the operation is done. The preset fills in what is absent.")
          .Field("method", &PollSpec::method, "HTTP method of a poll; GET where absent.",
                 {.enum_values = {"GET", "POST"}})
          .Field(
              "path", &PollSpec::path,
              "What to ask: a template such as \"/jobs/${operation.id}\", joined to the endpoint's "
              "path. Where absent, operation.pollURL is asked.",
              {.format = StringFormat::kTemplate, .max_length = 4096})
          .Field("headers", &PollSpec::headers,
                 "Headers to send beside those of the ExternalSystem; values are templates, as in "
                 "submit.",
                 {.max_items = 64})
          .Field("body", &PollSpec::body,
                 "The JSON to send; each string in it is a template, such as {id: "
                 "\"${operation.id}\"}. Where absent, no body is sent.")
          .Field(
              "envelope", &PollSpec::envelope,
              "HTTP: a response of type application/http is read as the HTTP message in its body: "
              "its headers and body are those of response, and its status is "
              "response.headers.asyncresult. None where absent.",
              {.enum_values = {"None", "HTTP"}})
          .Field(
              "acceptors", &PollSpec::acceptors,
              "Ordered rules: the first whose `when` is true decides the state. They replace those "
              "of the preset.",
              {.max_items = 64})
          .Field("default", &PollSpec::default_state,
                 "The state where no acceptor matches; Running where absent.",
                 {.enum_values = {"Running", "Failed"}})
          .Field("error", &PollSpec::error, "Where a failed operation tells its code and message.")
          .Field("progress", &PollSpec::progress,
                 "How far it is, from 0 to 100: an expression, or a JSON Pointer such as "
                 "/percentComplete. Shown as status.progress.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("nextURL", &PollSpec::next_url,
                 "Where to ask from now on, such as response.headers.location; without a value it "
                 "stays. Where absent, and path too, the Location of a 202.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("retryAfter", &PollSpec::retry_after,
                 "When to ask again, such as /retryAfter: seconds, a duration, or a time (RFC "
                 "3339, an "
                 "HTTP date, or seconds since 1970). The Retry-After header without a value.",
                 {.format = StringFormat::kExpression, .max_length = 4096})
          .Field("interval", &PollSpec::interval,
                 "How often to ask; 5s at first, growing to 60s, where absent.")
          .Field("result", &PollSpec::result,
                 "Where the finished thing is read from, for outputs; as the preset says where "
                 "absent, the last poll's response without a preset.");
  return kBinding;
}

}  // namespace asyncops
