// What users of a simulation declare.
#ifndef ASYNCOPS_TESTS_SIM_DECLARATIONS_H_
#define ASYNCOPS_TESTS_SIM_DECLARATIONS_H_

#include <string>
#include <string_view>

#include "base/json.h"
#include "tests/sim/plan.h"

namespace asyncops::sim {

inline constexpr std::string_view kNamespace = "team";

Json NamespaceObject();
// With the credentials of this number.
Json SecretObject(int number);
Json SystemObject(const Plan& plan);
Json OperationObject(const Plan& plan, const std::string& name);
Json ResourceObject(const Plan& plan, const std::string& name);

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_DECLARATIONS_H_
