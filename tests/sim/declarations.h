// What users of a simulation declare.
#ifndef ASYNCOPS_TESTS_SIM_DECLARATIONS_H_
#define ASYNCOPS_TESTS_SIM_DECLARATIONS_H_

#include <string>
#include <string_view>

#include "base/json.h"
#include "tests/sim/plan.h"

namespace asyncops::sim {

inline constexpr std::string_view kNamespace = "team";
// The credential that must show up nowhere.
inline constexpr std::string_view kToken = "q7-hunter2-and-more-q7";

Json NamespaceObject();
Json SecretObject();
Json SystemObject(const Plan& plan);
Json OperationObject(const Plan& plan, const std::string& name);
Json ResourceObject(const Plan& plan, const std::string& name);

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_DECLARATIONS_H_
