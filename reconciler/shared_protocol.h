// A declaration compiled once, for all the operations that have it.
#ifndef ASYNCOPS_RECONCILER_SHARED_PROTOCOL_H_
#define ASYNCOPS_RECONCILER_SHARED_PROTOCOL_H_

#include <memory>
#include <string>

#include "api/asyncops/v1alpha1/external_system.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "reconciler/compiled_protocol.h"
#include "reconciler/protocol.h"

namespace asyncops::reconciler {

// Immutable; safe for use from several threads.
class SharedProtocol {
 public:
  explicit SharedProtocol(ProtocolParts parts);

  const Protocol::Policy& policy() const { return parts_->policy; }
  // The origin of the system's endpoint.
  const std::string& origin() const { return origin_; }
  // The protocol of one operation with this declaration. It outlives both.
  std::unique_ptr<const Protocol> For(const AsyncOperation& operation) const;

  // Whether a poll is a request of its URL and of nothing else that is the operation's, and what
  // the answer tells of one that still runs is told by it alone. Then the next two can do without
  // the operation.
  bool polls_alone() const { return polls_alone_; }
  RenderedRequest PollOf(std::string url) const;
  // Right where it is kRunning; of another outcome it says only that it is another one.
  PollVerdict JudgeAlone(const ExternalAnswer& answer, const std::string& poll_url) const;

 private:
  const std::shared_ptr<const ProtocolParts> parts_;
  const std::string origin_;
  const bool polls_alone_;
  const CompiledProtocol alone_;  // of an operation that says nothing
};

// As CompileProtocol, which is this and For.
Result<std::shared_ptr<const SharedProtocol>> CompileShared(const ExternalSystem& system,
                                                            const AsyncOperation& operation);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SHARED_PROTOCOL_H_
