// What of an outbound request may go on the wire: nothing of it may end a line or a header.
#ifndef ASYNCOPS_KUBE_REQUEST_FORM_H_
#define ASYNCOPS_KUBE_REQUEST_FORM_H_

#include <string>

#include "kube/http_transport.h"

namespace asyncops::kube {

// Why the request cannot be sent, without the value of a header; "" where it can.
std::string MistakeOf(const OutboundRequest& request);

// The value of the Host header: "example.com", "[::1]:8443"; the scheme's own port is left out.
std::string HostHeader(const Uri& uri);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_REQUEST_FORM_H_
