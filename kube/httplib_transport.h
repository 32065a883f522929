// HttpTransport on cpp-httplib.
#ifndef ASYNCOPS_KUBE_HTTPLIB_TRANSPORT_H_
#define ASYNCOPS_KUBE_HTTPLIB_TRANSPORT_H_

#include <memory>

#include "kube/http_transport.h"
#include "kube/outbound_policy.h"

namespace asyncops::kube {

// Keeps a pool of connections per origin and TLS settings. Names are resolved here, each address is
// checked against the policy, and the connection is made to a checked address. TLS 1.2 or newer;
// the certificate must be for the host (SAN; the subject's CN never counts). Proxies named in the
// environment are not used. SIGPIPE is ignored from then on, in the whole process.
std::unique_ptr<HttpTransport> MakeHttplibTransport(OutboundPolicy policy);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_HTTPLIB_TRANSPORT_H_
