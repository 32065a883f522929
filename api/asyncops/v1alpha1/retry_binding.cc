#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<RetryTier>& RetryTier::Binding() {
  static const auto kBinding =
      ObjectBinding<RetryTier>("dev.asyncops.v1alpha1.RetryTier",
                               "How long to wait before some of the retries.")
          .Field(
              "upTo", &RetryTier::up_to,
              "The last retry of this tier, such as 3; greater than that of the tier before, and "
              "absent in the last tier.",
              {.minimum = 1, .maximum = 1000000})
          .Field("delay", &RetryTier::delay, "Wait before each retry of the tier, such as 10s.",
                 {.required = true})
          .Field("factor", &RetryTier::factor,
                 "What the wait is multiplied by after each retry of the tier, at least 1; 1 where "
                 "absent.",
                 {.minimum = 1, .maximum = 100})
          .Field("max", &RetryTier::max,
                 "The longest wait that factor may lead to, such as 1h; no bound where absent.");
  return kBinding;
}

const ObjectBinding<RetryPolicy>& RetryPolicy::Binding() {
  static const auto kBinding =
      ObjectBinding<RetryPolicy>("dev.asyncops.v1alpha1.RetryPolicy",
                                 "When failed calls and operations are tried again.")
          .Field(
              "tiers", &RetryPolicy::tiers,
              "Ordered tiers of waits. Where absent: 10s for retries 1 to 3, 1m for 4 to 6, then "
              "5m doubling to 1h.",
              {.max_items = 16})
          .Field("limit", &RetryPolicy::limit,
                 "Retries after which the operation fails; 0 or absent means no limit but "
                 "activeDeadline.",
                 {.minimum = 0, .maximum = 1000000})
          .Field(
              "jitter", &RetryPolicy::jitter,
              "The part of a wait that is random, from 0 to 1; 0.1 (10 % up or down) where absent.",
              {.minimum = 0, .maximum = 1})
          .Field(
              "onTerminal", &RetryPolicy::on_terminal,
              "After a terminal error: Stop fails at once, Slow tries again each hour. Stop where "
              "absent.",
              {.enum_values = {"Stop", "Slow"}});
  return kBinding;
}

const ObjectBinding<ErrorRule>& ErrorRule::Binding() {
  static const auto kBinding =
      ObjectBinding<ErrorRule>(
          "dev.asyncops.v1alpha1.ErrorRule",
          "Says which class an error is of; the first rule that matches decides.")
          .Field("when", &ErrorRule::when,
                 "A condition on response and error, such as error.code == 'DataQuotaExceeded'.",
                 {.required = true,
                  .format = StringFormat::kExpression,
                  .min_length = 1,
                  .max_length = 4096})
          .Field("class", &ErrorRule::class_name,
                 "Recoverable is tried again by the retry tiers, Throttled without counting as a "
                 "retry, Terminal is not, Conflict is tried again at once up to 3 times.",
                 {.required = true,
                  .enum_values = {"Recoverable", "Throttled", "Terminal", "Conflict"}})
          .Field("delay", &ErrorRule::delay,
                 "Wait before the next try, such as 5m, in place of the tier's; the tier's where "
                 "absent.");
  return kBinding;
}

const ObjectBinding<FailureDetail>& FailureDetail::Binding() {
  static const auto kBinding =
      ObjectBinding<FailureDetail>("dev.asyncops.v1alpha1.FailureDetail",
                                   "One failure that was seen.")
          .Field("code", &FailureDetail::code,
                 "The system's code for it, such as DataQuotaExceeded, or ours, such as Timeout.")
          .Field("message", &FailureDetail::message, "What went wrong, in the system's words.")
          .Field("class", &FailureDetail::class_name,
                 "How it was classed: Recoverable, Ambiguous, Throttled, Conflict or Terminal.")
          .Field("httpStatus", &FailureDetail::http_status,
                 "HTTP status of the response; absent where none came.")
          .Field("attempt", &FailureDetail::attempt,
                 "Number of the call within its submission, from 1.")
          .Field("timestamp", &FailureDetail::timestamp, "When it was seen.");
  return kBinding;
}

}  // namespace asyncops
