#include "api/asyncops/v1alpha1/steps.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<SecretKeyRef>& SecretKeyRef::Binding() {
  static const auto kBinding =
      ObjectBinding<SecretKeyRef>(
          "dev.asyncops.v1alpha1.SecretKeyRef",
          "One key of a Secret in the namespace of the object that names it.")
          .Field("name", &SecretKeyRef::name,
                 "Name of the Secret, such as acme; it is in the same namespace.",
                 {.required = true, .min_length = 1, .max_length = 253})
          .Field("key", &SecretKeyRef::key, "Key within the Secret's data, such as token.",
                 {.required = true, .min_length = 1, .max_length = 253});
  return kBinding;
}

const ObjectBinding<LocalObjectRef>& LocalObjectRef::Binding() {
  static const auto kBinding =
      ObjectBinding<LocalObjectRef>("dev.asyncops.v1alpha1.LocalObjectRef",
                                    "An object of the same namespace, by its name.")
          .Field("name", &LocalObjectRef::name,
                 "Name of the object, such as acme-cloud; it is in the same namespace.",
                 {.required = true, .min_length = 1, .max_length = 253});
  return kBinding;
}

const ObjectBinding<HeaderValueSource>& HeaderValueSource::Binding() {
  static const auto kBinding =
      ObjectBinding<HeaderValueSource>("dev.asyncops.v1alpha1.HeaderValueSource",
                                       "Where the value of a header is read from.")
          .Field(
              "secretKeyRef", &HeaderValueSource::secret_key_ref,
              "The Secret's key that holds the value. It is read for each call and never stored, "
              "logged or shown.",
              {.required = true});
  return kBinding;
}

}  // namespace asyncops
