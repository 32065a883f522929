// Places where a test ends the process, to prove that what is on disk is enough to go on.
#ifndef ASYNCOPS_RECONCILER_FAULT_POINTS_H_
#define ASYNCOPS_RECONCILER_FAULT_POINTS_H_

#include <string>
#include <string_view>
#include <utility>

namespace asyncops::reconciler {

// In the order of one submission.
inline constexpr std::string_view kAfterIntent = "AfterIntent";
inline constexpr std::string_view kBeforeSend = "BeforeSend";
inline constexpr std::string_view kAfterSend = "AfterSend";
inline constexpr std::string_view kBeforeOutcome = "BeforeOutcome";
inline constexpr std::string_view kAfterOutcome = "AfterOutcome";

// Does nothing. Safe for use from several threads.
class FaultPoints {
 public:
  virtual ~FaultPoints() = default;
  virtual void Hit(std::string_view /*name*/) {}
};

// Ends the process as kill -9 would (exit code 137, nothing flushed) at one point.
class ExitingFaultPoints final : public FaultPoints {
 public:
  explicit ExitingFaultPoints(std::string name) : name_(std::move(name)) {}
  void Hit(std::string_view name) override;

 private:
  const std::string name_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_FAULT_POINTS_H_
