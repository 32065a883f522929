// Whether a Secret may be written to, and what it would hold then.
#ifndef ASYNCOPS_RECONCILER_SECRET_OWNERSHIP_H_
#define ASYNCOPS_RECONCILER_SECRET_OWNERSHIP_H_

#include "api/core/v1/secret.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// What stands in messages: never a value.
std::string SecretTitle(const ObjectName& name);

// Forbidden where this owner may not write to the Secret that is there.
Status MayWriteSecret(const core::Secret& secret, const ObjectName& name,
                      const OwnerReference& owner);

// A Secret without values that belongs to the owner; what a server sets is not set.
core::Secret NewOwnedSecret(const ObjectName& name, const OwnerReference& owner);

// Sets the values. Forbidden where it is immutable and holds others, Invalid where it cannot hold
// them.
Status SetSecretValues(const ObjectName& name, const SecretData& values, core::Secret* secret);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_OWNERSHIP_H_
