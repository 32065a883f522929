#include "apiserver/auth/probe_path.h"

#include <array>

namespace asyncops::apiserver {

bool IsProbe(const Attributes& attributes) {
  constexpr std::array<std::string_view, 3> kProbes = {"/healthz", "/livez", "/readyz"};
  if (attributes.resource_request) return false;
  if (attributes.verb != "get" && attributes.verb != "head") return false;
  const std::string_view path = attributes.path;
  for (const std::string_view probe : kProbes) {
    if (path == probe) return true;
    if (path.starts_with(probe) && path[probe.size()] == '/') return true;
  }
  return false;
}

}  // namespace asyncops::apiserver
