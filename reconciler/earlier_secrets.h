// Secrets that earlier operations of an AsyncResource wrote, as a later one knows them: by an
// annotation, so that it also knows them once the resource is gone.
#ifndef ASYNCOPS_RECONCILER_EARLIER_SECRETS_H_
#define ASYNCOPS_RECONCILER_EARLIER_SECRETS_H_

#include <string>
#include <vector>

#include "reconciler/owned_operation.h"

namespace asyncops::reconciler {

// Notes on an operation that is about to be made which Secrets the resource and its operations so
// far declare for outputs, without those that are the operation's own. Nothing where there are
// none.
void NoteEarlierSecrets(const AsyncResource& resource, const std::vector<OwnedOperation>& before,
                        AsyncOperation* made);

// Those that are noted; what cannot be read is left out.
std::vector<SecretKeyRef> EarlierSecrets(const AsyncOperation& operation);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EARLIER_SECRETS_H_
