// The meaning of the core/v1 kinds that standalone serves, beyond their structure and metadata.
#ifndef ASYNCOPS_API_CORE_V1_VALIDATION_H_
#define ASYNCOPS_API_CORE_V1_VALIDATION_H_

#include "api/core/v1/event.h"
#include "api/core/v1/namespace.h"
#include "api/core/v1/secret.h"
#include "api/meta/field_error.h"

namespace asyncops::core {

// The name is a DNS label, as it becomes part of host names.
FieldErrors ValidateNamespace(const Namespace& object);
// The same, and that a new phase says whether the namespace is under deletion: no client ends that.
FieldErrors ValidateNamespaceUpdate(const Namespace& object, const Namespace& old);
// Keys, size, and the keys that well-known types need. Never shows a value.
FieldErrors ValidateSecret(const Secret& secret);
// The type, and what an immutable Secret forbids.
FieldErrors ValidateSecretUpdate(const Secret& secret, const Secret& old);
// An event is in the namespace of the object that it speaks of ("default" for those without).
FieldErrors ValidateEvent(const Event& event);

}  // namespace asyncops::core

#endif  // ASYNCOPS_API_CORE_V1_VALIDATION_H_
