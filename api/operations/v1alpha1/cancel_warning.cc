#include "api/operations/v1alpha1/cancel_warning.h"

#include <algorithm>
#include <array>

#include "api/operations/v1alpha1/async_operation.h"

namespace asyncops {
namespace {

// In the order of their names.
constexpr std::array<std::string_view, 3> kCancelling = {"AWSCloudControl", "GoogleLRO",
                                                         "ODataAsync"};

}  // namespace

bool PresetCancels(std::string_view preset) {
  return std::find(kCancelling.begin(), kCancelling.end(), preset) != kCancelling.end();
}

std::string CancelWarning(const Json& operation, std::string_view preset) {
  const Json* cancel = operation.FindPath({"spec", "cancel"});
  if ((cancel != nullptr && !cancel->is_null()) || PresetCancels(preset)) return "";
  return std::string(kAsyncOperations) + " \"" +
         std::string(operation.StringAt({"metadata", "name"})) +
         "\" declares no cancel: before it is sent it ends here; once it runs outside it cannot be "
         "stopped there, and is followed to its own end, or until spec.activeDeadline";
}

}  // namespace asyncops
