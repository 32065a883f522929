// What the tests of the transport have in common.
#ifndef ASYNCOPS_TESTS_UNIT_KUBE_TRANSPORT_CALLS_H_
#define ASYNCOPS_TESTS_UNIT_KUBE_TRANSPORT_CALLS_H_

#include <memory>
#include <string>

#include "kube/httplib_transport.h"

namespace asyncops::kube {

// May call this machine.
inline std::unique_ptr<HttpTransport> LoopbackTransport() {
  return MakeHttplibTransport(OutboundPolicy({*ParseCidr("127.0.0.0/8"), *ParseCidr("::1")}));
}

inline OutboundRequest RequestTo(int port, std::string method = "GET") {
  OutboundRequest request;
  request.method = std::move(method);
  request.uri = {"http", "127.0.0.1", port, "/v1/things?x=1"};
  request.timeout = std::chrono::seconds(10);
  return request;
}

// "Answered 200 body", "Ambiguous Timeout", "NotSent TLSFailed".
inline std::string Show(const Exchange& exchange) {
  if (exchange.outcome == Exchange::Outcome::kAnswered)
    return "Answered " + std::to_string(exchange.response.status) + " " + exchange.response.body;
  const bool not_sent = exchange.outcome == Exchange::Outcome::kNotSent;
  return (not_sent ? "NotSent " : "Ambiguous ") + exchange.code;
}

}  // namespace asyncops::kube

#endif  // ASYNCOPS_TESTS_UNIT_KUBE_TRANSPORT_CALLS_H_
