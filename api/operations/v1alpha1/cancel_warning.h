// What whoever cancels an operation is told where nothing outside can be cancelled.
#ifndef ASYNCOPS_API_OPERATIONS_V1ALPHA1_CANCEL_WARNING_H_
#define ASYNCOPS_API_OPERATIONS_V1ALPHA1_CANCEL_WARNING_H_

#include <string>
#include <string_view>

#include "base/json.h"

namespace asyncops {

// Whether the declarations of a preset have a cancel that nobody has to write.
bool PresetCancels(std::string_view preset);

// What becomes of the cancel, as a warning, where neither the operation declares one nor the preset
// of its external system does; "" where one of them does. `preset` is "" for Custom.
std::string CancelWarning(const Json& operation, std::string_view preset);

}  // namespace asyncops

#endif  // ASYNCOPS_API_OPERATIONS_V1ALPHA1_CANCEL_WARNING_H_
