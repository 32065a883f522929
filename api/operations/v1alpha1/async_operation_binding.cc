#include "api/operations/v1alpha1/async_operation.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<ResourceRef>& ResourceRef::Binding() {
  static const auto kBinding =
      ObjectBinding<ResourceRef>("dev.asyncops.operations.v1alpha1.ResourceRef",
                                 "The object that an operation is for; of any kind.")
          .Field("apiVersion", &ResourceRef::api_version,
                 "Its group and version, such as asyncops.dev/v1alpha1.", {.max_length = 317})
          .Field("kind", &ResourceRef::kind, "Its kind, such as AsyncResource.", {.max_length = 63})
          .Field("name", &ResourceRef::name, "Its name; it is in the operation's namespace.",
                 {.required = true, .min_length = 1, .max_length = 253})
          .Field("uid", &ResourceRef::uid,
                 "Its UID, which tells it from an earlier object of the same name.",
                 {.max_length = 128});
  return kBinding;
}

const ObjectBinding<OperationContext>& OperationContext::Binding() {
  static const auto kBinding =
      ObjectBinding<OperationContext>("dev.asyncops.operations.v1alpha1.Context",
                                      "What metadata and outputs mean in the operation's "
                                      "expressions: those of the resource that "
                                      "made it, as they were then.")
          .Field("metadata", &OperationContext::metadata,
                 "The resource's name, namespace, uid, generation, labels and annotations.")
          .Field("outputs", &OperationContext::outputs,
                 "The resource's outputs by name, of its last success before this operation.");
  return kBinding;
}

namespace {

// Split so that each half can be read on a screen; the order is that of the documentation.
ObjectBinding<AsyncOperationSpec> CallFields() {
  return ObjectBinding<AsyncOperationSpec>("dev.asyncops.operations.v1alpha1.AsyncOperationSpec",
                                           "One operation. It cannot change after creation, but "
                                           "for suspend, ttlAfterFinished and "
                                           "activeDeadline.")
      .Field("type", &AsyncOperationSpec::type, "What the operation does to the thing outside.",
             {.required = true, .enum_values = {"Create", "Update", "Delete", "Action"}})
      .Field("resourceRef", &AsyncOperationSpec::resource_ref,
             "The object that it is for, of any kind; absent where it stands for itself.")
      .Field("externalSystemRef", &AsyncOperationSpec::external_system_ref,
             "The ExternalSystem that carries it out.", {.required = true})
      .Field("parameters", &AsyncOperationSpec::parameters,
             "Free-form values, such as {size: 100Gi}; templates name them as "
             "${spec.parameters.size}.")
      .Field("context", &AsyncOperationSpec::context,
             "What metadata and outputs mean in expressions; the operation's own metadata where "
             "absent. Filled in by asyncops.")
      .Field("submit", &AsyncOperationSpec::submit, "The call that starts the operation.",
             {.required = true})
      .Field("operation", &AsyncOperationSpec::operation,
             "What to read from the answer to the submit; as the preset says where absent.")
      .Field("poll", &AsyncOperationSpec::poll,
             "How to ask whether it is done; as the preset says where absent.")
      .Field("recovery", &AsyncOperationSpec::recovery,
             "What to do when it is unknown whether the submit took effect. Where absent, and "
             "without an idempotency key, the operation parks.")
      .Field("cancel", &AsyncOperationSpec::cancel,
             "How it is cancelled outside when activeDeadline has passed; it is left running where "
             "absent.")
      .Field("callback", &AsyncOperationSpec::callback,
             "How the system calls back, besides being polled.");
}

}  // namespace

const ObjectBinding<AsyncOperationSpec>& AsyncOperationSpec::Binding() {
  static const auto kBinding =
      CallFields()
          .Field(
              "gone", &AsyncOperationSpec::gone,
              "With type: Delete, statuses that mean it is gone already; 404 and 410 where absent.",
              {.minimum = 200, .maximum = 599, .max_items = 16})
          .Field("outputs", &AsyncOperationSpec::outputs,
                 "Values to keep from the finished operation, shown in status.outputs.",
                 {.max_items = 64})
          .Field("retry", &AsyncOperationSpec::retry,
                 "When failed calls are tried again; as the ExternalSystem says where absent.")
          .Field("errorRules", &AsyncOperationSpec::error_rules,
                 "Ordered rules that say which class an error is of, tried before those of the "
                 "ExternalSystem.",
                 {.max_items = 64})
          .Field("activeDeadline", &AsyncOperationSpec::active_deadline,
                 "How long the operation may take in all, such as 30m, before it fails with "
                 "DeadlineExceeded; 24h by default.",
                 {.default_value = "24h"})
          .Field("ttlAfterFinished", &AsyncOperationSpec::ttl_after_finished,
                 "How long after its end the object is kept, such as 168h; for ever where absent.")
          .Field("suspend", &AsyncOperationSpec::suspend,
                 "True makes no further calls until it is false again; a running operation goes on "
                 "outside. False where absent.");
  return kBinding;
}

const ObjectBinding<AsyncOperation>& AsyncOperation::Binding() {
  static const auto kBinding =
      ObjectBinding<AsyncOperation>(
          "dev.asyncops.operations.v1alpha1.AsyncOperation",
          "One create, update, delete or action against an ExternalSystem, "
          "run to its end.")
          .Constant("apiVersion", "operations.asyncops.dev/v1alpha1",
                    "Group and version: operations.asyncops.dev/v1alpha1.")
          .Constant("kind", "AsyncOperation", "The kind: AsyncOperation.")
          .Field("metadata", &AsyncOperation::metadata, "Name, namespace, labels and the like.")
          .Field("spec", &AsyncOperation::spec, "What is to be done; fixed once created.",
                 {.required = true})
          .Field("status", &AsyncOperation::status, "What was done and seen; written by asyncops.");
  return kBinding;
}

}  // namespace asyncops
