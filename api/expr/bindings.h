// The values that the root variables of an expression have in one evaluation.
#ifndef ASYNCOPS_API_EXPR_BINDINGS_H_
#define ASYNCOPS_API_EXPR_BINDINGS_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace asyncops::expr {

// Borrows every value: nothing is copied, and each must outlive the evaluation. One thread.
class Bindings {
 public:
  // Binds a root ("response"), or one part of a root by its dotted name ("spec.parameters",
  // "response.body") where the whole is not at hand as one value. The most exact binding wins; a
  // later one of the same name replaces the earlier. `name` must outlive this object (a literal).
  Bindings& Set(std::string_view name, const Json* value);

  // The value at a path of a root and its fields; null where it is unbound or a step is missing.
  const Json* Find(std::span<const std::string> path) const;

 private:
  std::vector<std::pair<std::string_view, const Json*>> values_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_BINDINGS_H_
