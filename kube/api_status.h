// The Status objects of kube-apiserver, read back into ours.
#ifndef ASYNCOPS_KUBE_API_STATUS_H_
#define ASYNCOPS_KUBE_API_STATUS_H_

#include "base/json.h"
#include "base/status.h"

namespace asyncops::kube {

// The failure that an object of kind Status tells, with its details. A reason that is not known
// falls back to its code, and that to `http_code`. Whatever else `body` is, the failure of
// `http_code` alone. Never OK.
Status StatusOf(const Json& body, int http_code);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_API_STATUS_H_
