#include "api/core/v1/secret.h"
#include "api/schema/binding.h"

namespace asyncops::core {

const ObjectBinding<Secret>& Secret::Binding() {
  static const auto kBinding =
      ObjectBinding<Secret>("io.k8s.api.core.v1.Secret",
                            "Small pieces of confidential data, such as a token or a password.")
          .Constant("apiVersion", "v1", "Group and version of the object: v1.")
          .Constant("kind", "Secret", "The kind of object: Secret.")
          .Field("metadata", &Secret::metadata, "Name, namespace, labels and the like.")
          .Field("data", &Secret::data,
                 "Values by key, each in base64. A key has letters, digits, '-', '_' and '.'.",
                 {.format = StringFormat::kBase64})
          .Field(
              "stringData", &Secret::string_data,
              "Values by key in plain text, for writing alone: they are moved into data and never "
              "shown.")
          .Field(
              "type", &Secret::type,
              "What kind of data it holds, such as kubernetes.io/tls; Opaque by default. It cannot "
              "change.",
              {.default_value = "Opaque"})
          .Field(
              "immutable", &Secret::immutable,
              "True forbids any later change of the data; it may be deleted. False where absent.");
  return kBinding;
}

}  // namespace asyncops::core
