// How a Kubernetes Status looks on the wire. The one place where a failure becomes HTTP.
#ifndef ASYNCOPS_APISERVER_HTTP_STATUS_RESPONSE_H_
#define ASYNCOPS_APISERVER_HTTP_STATUS_RESPONSE_H_

#include "apiserver/http/response.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::http {

// The metav1.Status of a failure; `status` must not be OK.
Json StatusJson(const Status& status);

// The metav1.Status of a success that leaves no object to show: of a deletion.
Json SuccessJson(const StatusDetails& details);

// The metav1.Status of a failure, with its HTTP code, `details` where there are any, and
// Retry-After where the details ask for it. `status` must not be OK.
Response StatusResponse(const Status& status);

// The same for a code that no reason of Kubernetes has (408, 431, 501, 505, ...): its own code, no
// reason.
Response StatusResponse(int code, std::string_view message);

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_STATUS_RESPONSE_H_
