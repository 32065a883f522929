#include "api/asyncops/v1alpha1/ratchet.h"

#include <algorithm>

namespace asyncops {

void DropUnchanged(const FieldErrors& before, FieldErrors* errors) {
  const auto was_there = [&before](const FieldError& error) {
    return std::find(before.begin(), before.end(), error) != before.end();
  };
  errors->erase(std::remove_if(errors->begin(), errors->end(), was_there), errors->end());
}

}  // namespace asyncops
