#include "api/asyncops/v1alpha1/external_system.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<ExternalSystemSpec>& ExternalSystemSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<ExternalSystemSpec>(
          "dev.asyncops.v1alpha1.ExternalSystemSpec",
          "The API that makes things: where it is, how to speak to it, and how much it bears.")
          .Field(
              "endpoint", &ExternalSystemSpec::endpoint,
              "Base URL of the API, such as https://api.acme.example/v1. Its origin is the only "
              "one that ever receives credentials.",
              {.required = true, .format = StringFormat::kUrl, .min_length = 1, .max_length = 2048})
          .Field(
              "allowedOrigins", &ExternalSystemSpec::allowed_origins,
              "Other origins that poll URLs may name, such as https://ops.acme.example; they get "
              "no credentials. None where absent.",
              {.format = StringFormat::kUrl, .max_length = 2048, .max_items = 32})
          .Field("tls", &ExternalSystemSpec::tls,
                 "How the system's certificate is verified; by the machine's authorities where "
                 "absent.")
          .Field("auth", &ExternalSystemSpec::auth,
                 "How calls are authenticated; calls carry no credentials where absent.")
          .Field(
              "preset", &ExternalSystemSpec::preset,
              "The protocol of its long-running operations: AcceptedLocation (202 and a Location "
              "to poll), GoogleLRO (google.longrunning, and Compute Engine's), AzureARM (Azure "
              "Resource Manager), ODataAsync (respond-async of OData), AWSCloudControl, JobStatus "
              "(a job with a status field), DescribeUntil (the thing itself is asked until it is "
              "ready) or Custom (each step says it). Custom where absent.",
              {.enum_values = {"AcceptedLocation", "GoogleLRO", "AzureARM", "ODataAsync",
                               "AWSCloudControl", "JobStatus", "DescribeUntil", "Custom"}})
          .Field("limits", &ExternalSystemSpec::limits,
                 "How much is asked of the system; 20 calls per second where absent.")
          .Field(
              "idempotency", &ExternalSystemSpec::idempotency,
              "How the system takes an idempotency key. Where absent it takes none, and a submit "
              "of unknown outcome is looked up or parks.")
          .Field("correlation", &ExternalSystemSpec::correlation,
                 "Where our correlation ID is put; it is not sent where absent.")
          .Field("callback", &ExternalSystemSpec::callback,
                 "How callbacks of the system are verified.")
          .Field(
              "queueRef", &ExternalSystemSpec::queue_ref,
              "The queue that brings its events. Not carried out by this release: operations are "
              "polled.")
          .Field(
              "retry", &ExternalSystemSpec::retry,
              "The retry policy of its operations that have none of their own; the server's where "
              "absent.")
          .Field("errorRules", &ExternalSystemSpec::error_rules,
                 "Ordered rules that say which class an error is of, tried after those of the "
                 "operation; by HTTP status where none matches.",
                 {.max_items = 64});
  return kBinding;
}

const ObjectBinding<ExternalSystemStatus>& ExternalSystemStatus::Binding() {
  static const auto kBinding =
      ObjectBinding<ExternalSystemStatus>("dev.asyncops.v1alpha1.ExternalSystemStatus",
                                          "What was seen of the system.")
          .Field("observedGeneration", &ExternalSystemStatus::observed_generation,
                 "The generation of the spec that this status speaks of.")
          .Field(
              "circuit", &ExternalSystemStatus::circuit,
              "Whether calls are made: Closed means yes, Open no (it failed too often), HalfOpen "
              "one at a time.",
              {.enum_values = {"Closed", "Open", "HalfOpen"}})
          .Field("inFlight", &ExternalSystemStatus::in_flight, "Operations that run outside now.")
          .Field("conditions", &ExternalSystemStatus::conditions,
                 "Ready says whether the system can be called: its declaration and the Secrets "
                 "that it names. Throttled is there while calls of it are held back.",
                 {.list_map_keys = {"type"}});
  return kBinding;
}

const ObjectBinding<ExternalSystem>& ExternalSystem::Binding() {
  static const auto kBinding =
      ObjectBinding<ExternalSystem>("dev.asyncops.v1alpha1.ExternalSystem",
                                    "An API that makes things outside the cluster: its endpoint, "
                                    "credentials, limits and habits.")
          .Constant("apiVersion", "asyncops.dev/v1alpha1",
                    "Group and version: asyncops.dev/v1alpha1.")
          .Constant("kind", "ExternalSystem", "The kind: ExternalSystem.")
          .Field("metadata", &ExternalSystem::metadata, "Name, namespace, labels and the like.")
          .Field("spec", &ExternalSystem::spec, "What the system is and how to speak to it.",
                 {.required = true})
          .Field("status", &ExternalSystem::status,
                 "What was seen of the system; written by asyncops.");
  return kBinding;
}

}  // namespace asyncops
