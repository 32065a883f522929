// Places where a test ends the process, to prove that what is on disk is enough to go on.
#ifndef ASYNCOPS_RECONCILER_FAULT_POINTS_H_
#define ASYNCOPS_RECONCILER_FAULT_POINTS_H_

#include <atomic>
#include <string>
#include <string_view>

namespace asyncops::reconciler {

// Before or after one durable step, or one call outside. A value.
struct FaultPoint {
  enum class Side { kBefore, kAfter };
  enum class Kind { kWrite, kCall };
  Side side = Side::kBefore;
  // A call: "Submit", "Poll", "Lookup", "Fetch", "Cancel". A write: what the line of history says
  // ("Intent", "Submit", ...), or what is written: "CreateOperation", "AddFinalizer",
  // "DropFinalizer", "DropTracking", "Remove", "Events", "Secret" (outputs that go into one).
  std::string_view step;
  Kind kind = Kind::kWrite;

  // "BeforeIntentWrite", "AfterSubmitCall".
  std::string Name() const;
};

// Does nothing. Safe for use from several threads.
class FaultPoints {
 public:
  virtual ~FaultPoints() = default;
  virtual void Hit(const FaultPoint& /*point*/) {}
};

// Ends the process as kill -9 would (exit code 137, nothing flushed) at one point.
class ExitingFaultPoints final : public FaultPoints {
 public:
  // `wanted` is "NAME" or "NAME:N": the Nth time that it comes by (the first where N is no number).
  explicit ExitingFaultPoints(std::string_view wanted);
  void Hit(const FaultPoint& point) override;

 private:
  std::string name_;
  std::atomic<int> left_ = 1;
};

// Hits the point before a step when it is made, and the point after it when it goes.
class FaultScope {
 public:
  // `faults` outlives it.
  FaultScope(FaultPoints& faults, FaultPoint::Kind kind, std::string_view step)
      : faults_(faults), kind_(kind), step_(step) {
    faults_.Hit({.side = FaultPoint::Side::kBefore, .step = step_, .kind = kind_});
  }
  ~FaultScope() { faults_.Hit({.side = FaultPoint::Side::kAfter, .step = step_, .kind = kind_}); }
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;

 private:
  FaultPoints& faults_;
  const FaultPoint::Kind kind_;
  const std::string step_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_FAULT_POINTS_H_
