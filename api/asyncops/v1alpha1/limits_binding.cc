#include "api/asyncops/v1alpha1/external_system.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<LimitsSpec>& LimitsSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<LimitsSpec>("dev.asyncops.v1alpha1.Limits",
                                "How much is asked of the system, by all operations together.")
          .Field(
              "requestsPerSecond", &LimitsSpec::requests_per_second,
              "Calls a second on average to each of its origins, such as 5; 20 where absent. Who "
              "comes too early waits for a turn, and a wait of some seconds shows as condition "
              "Throttled.",
              {.minimum = 0.001, .maximum = 100000})
          .Field("burst", &LimitsSpec::burst,
                 "Calls that may come at once after a pause; where absent two seconds' worth of "
                 "requestsPerSecond, which makes 40.",
                 {.minimum = 1, .maximum = 100000})
          .Field("maxInFlight", &LimitsSpec::max_in_flight,
                 "Calls to each of its origins that may be under way at one time, such as 1 for a "
                 "system that takes one at a time; 1000 where absent.",
                 {.minimum = 1, .maximum = 1000000})
          .Field("requestTimeout", &LimitsSpec::request_timeout,
                 "How long one call may take, such as 10s; 30s where absent.");
  return kBinding;
}

const ObjectBinding<IdempotencySpec>& IdempotencySpec::Binding() {
  static const auto kBinding =
      ObjectBinding<IdempotencySpec>(
          "dev.asyncops.v1alpha1.Idempotency",
          "How the system takes an idempotency key. With it a submit of unknown outcome is sent "
          "again safely.")
          .Field("in", &IdempotencySpec::in, "The part of the request that takes the key.",
                 {.required = true, .enum_values = {"Header", "Body", "Query"}})
          .Field("name", &IdempotencySpec::name,
                 "With in: Header, the header's name, such as Idempotency-Key; with in: Query, the "
                 "parameter's, such as requestId.",
                 {.max_length = 256})
          .Field("pointer", &IdempotencySpec::pointer,
                 "With in: Body, the JSON Pointer to put the key at, such as /requestId.",
                 {.max_length = 1024})
          .Field("quoted", &IdempotencySpec::quoted,
                 "Sends the header's value in double quotes; false where absent, as most systems "
                 "take it bare.")
          .Field(
              "ttl", &IdempotencySpec::ttl,
              "How long the system remembers a key, such as 24h, which is the default. After it a "
              "key is not used again.",
              {.default_value = "24h"});
  return kBinding;
}

const ObjectBinding<CorrelationSpec>& CorrelationSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<CorrelationSpec>(
          "dev.asyncops.v1alpha1.Correlation",
          "Where our correlation ID is put, so that the operation can be found outside.")
          .Field("in", &CorrelationSpec::in, "The part of the request that takes the ID.",
                 {.required = true, .enum_values = {"Header", "Body"}})
          .Field("name", &CorrelationSpec::name,
                 "With in: Header, the header's name, such as X-Correlation-Id.",
                 {.max_length = 256})
          .Field("pointer", &CorrelationSpec::pointer,
                 "With in: Body, the JSON Pointer to put the ID at, such as /tags/correlation.",
                 {.max_length = 1024});
  return kBinding;
}

}  // namespace asyncops
