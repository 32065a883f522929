// The calls that one step of an operation makes, each of them through the gate.
#ifndef ASYNCOPS_RECONCILER_GATED_SEND_H_
#define ASYNCOPS_RECONCILER_GATED_SEND_H_

#include "kube/http_transport.h"
#include "reconciler/origin_gate.h"

namespace asyncops::reconciler {

// For one thread and one step. All but the permit outlive it.
class GatedSender {
 public:
  struct Parts {
    OriginGate& gate;
    kube::HttpTransport& transport;
    const ExternalSystem& system;
    const Clock& clock;
  };
  // `leave` is for the first call to its origin; others, such as a redirect's next hop or the fetch
  // of an access token, follow at once and are counted.
  GatedSender(const Parts& parts, Permit leave) : parts_(parts), leave_(std::move(leave)) {}

  // Sends it, and tells the gate what came of it. One without leave is not made where the circuit
  // of its origin is open: kNotSent with GateReasonName as its code and a header Retry-After.
  kube::Exchange Send(const kube::OutboundRequest& request);

 private:
  const Parts parts_;
  Permit leave_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_GATED_SEND_H_
