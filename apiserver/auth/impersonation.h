// Impersonate headers: who asks to act as somebody else, and whether they may.
#ifndef ASYNCOPS_APISERVER_AUTH_IMPERSONATION_H_
#define ASYNCOPS_APISERVER_AUTH_IMPERSONATION_H_

#include <functional>

#include "apiserver/auth/authorizer.h"
#include "apiserver/http/request.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Whether there is any Impersonate header: it is never passed over in silence.
bool AsksToImpersonate(const http::Headers& headers);

// Reads Impersonate-User, -Uid, -Group (any number) and -Extra-KEY, as kube-apiserver does, and
// asks the authorizer for the verb impersonate on each: users or serviceaccounts, groups, uids and
// userextras. Calls `done` exactly once, at once or later, with the user to act as; or with
// BadRequest where the headers make none (no user, or one twice, or too many values), and with what
// the first attribute that is not allowed is refused with. A service account gets its groups where
// none are asked for. Headers and authorizer live until then.
void Impersonate(const Authorizer& authorizer, const UserPointer& requester,
                 const http::Headers& headers, std::function<void(Result<UserPointer>)> done);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_IMPERSONATION_H_
