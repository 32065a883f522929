#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<OutputSpec>& OutputSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<OutputSpec>("dev.asyncops.v1alpha1.Output",
                                "A value to keep from the finished operation.")
          .Field("name", &OutputSpec::name,
                 "Its name in status.outputs and in later expressions (outputs.volumeID).",
                 {.required = true, .min_length = 1, .max_length = 63})
          .Field("value", &OutputSpec::value,
                 "What to keep: an expression over the result, or a JSON Pointer such as /id.",
                 {.required = true,
                  .format = StringFormat::kExpression,
                  .min_length = 1,
                  .max_length = 4096})
          .Field("toSecret", &OutputSpec::to_secret,
                 "Writes it into this key of a Secret of the namespace instead of status, before "
                 "the operation is Succeeded. The Secret is made where there is none; keys of one "
                 "that belongs to something else are never overwritten.");
  return kBinding;
}

const ObjectBinding<StepSpec>& StepSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<StepSpec>("dev.asyncops.v1alpha1.Step",
                              "How one operation is started, followed and recovered.")
          .Field("submit", &StepSpec::submit, "The call that starts the operation.",
                 {.required = true})
          .Field("operation", &StepSpec::operation,
                 "What to read from the answer to the submit; as the preset says where absent.")
          .Field(
              "poll", &StepSpec::poll,
              "How to ask whether it is done; as the preset says where absent. An answer of 200 or "
              "201 with nothing to poll is success at once.")
          .Field("recovery", &StepSpec::recovery,
                 "What to do when it is unknown whether the submit took effect. Where absent, and "
                 "without an idempotency key, the operation parks.")
          .Field("callback", &StepSpec::callback,
                 "How the system calls back, besides being polled.")
          .Field(
              "gone", &StepSpec::gone,
              "In a delete step, statuses that mean it is gone already; 404 and 410 where absent.",
              {.minimum = 200, .maximum = 599, .max_items = 16});
  return kBinding;
}

}  // namespace asyncops
