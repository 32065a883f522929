// Declarations and answers as tests of the protocol write them.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_PROTOCOL_CASES_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_PROTOCOL_CASES_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/protocol.h"

namespace asyncops::reconciler {

// "https://api.acme.example/v1" with this preset.
ExternalSystem AcmeSystem(std::string_view preset);
// A Create of a volume, POST /volumes, parameters {"size": "10Gi"}.
AsyncOperation VolumeOperation();
// Compiles, or fails the test.
std::shared_ptr<const Protocol> Compiled(const ExternalSystem& system,
                                         const AsyncOperation& operation);
std::shared_ptr<const Protocol> Compiled(std::string_view preset);

// An answer with this JSON body ("" for none; what is no JSON stays text).
ExternalAnswer Answer(int status, std::string_view body = "",
                      std::vector<std::pair<std::string, std::string>> headers = {});
ExternalAnswer NoAnswerOf(kube::Exchange::Outcome outcome, std::string error = "it broke",
                          std::string code = "Timeout");

// "POST https://... [Name: value]... body".
std::string Show(const RenderedRequest& request);
// "Accepted id=1 poll=... resource=..." / "Succeeded" / "Failed Ambiguous HTTP500 delay=5s".
std::string Show(const SubmitVerdict& verdict);
std::string Show(const PollVerdict& verdict);
// "Terminal HTTP400", with the delay where there is one.
std::string Show(const Failure& failure);

// An operation that was accepted: id "op-1", polled at https://api.acme.example/v1/operations/op-1.
OperationIdentity Running();

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_PROTOCOL_CASES_H_
