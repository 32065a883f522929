#include "api/expr/bindings.h"

namespace asyncops::expr {
namespace {

// How many steps of the path the dotted name covers; 0 where it is not a prefix of it.
std::size_t CoveredSteps(std::string_view name, std::span<const std::string> path) {
  std::size_t steps = 0;
  for (const std::string& step : path) {
    if (!name.starts_with(step)) return 0;
    name.remove_prefix(step.size());
    ++steps;
    if (name.empty()) return steps;
    if (name.front() != '.') return 0;
    name.remove_prefix(1);
  }
  return 0;
}

}  // namespace

Bindings& Bindings::Set(std::string_view name, const Json* value) {
  for (auto& [bound, old] : values_) {
    if (bound == name) {
      old = value;
      return *this;
    }
  }
  values_.emplace_back(name, value);
  return *this;
}

const Json* Bindings::Find(std::span<const std::string> path) const {
  const Json* found = nullptr;
  std::size_t covered = 0;
  for (const auto& [name, value] : values_) {
    const std::size_t steps = CoveredSteps(name, path);
    if (steps > covered) {
      covered = steps;
      found = value;
    }
  }
  for (const std::string& step : path.subspan(covered)) {
    if (found == nullptr) break;
    found = found->Find(step);
  }
  return found;
}

}  // namespace asyncops::expr
