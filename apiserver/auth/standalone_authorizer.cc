#include "apiserver/auth/standalone_authorizer.h"

#include <array>

namespace asyncops::apiserver {
namespace {

constexpr std::array<std::string_view, 3> kProbes = {"/healthz", "/livez", "/readyz"};

bool IsProbe(std::string_view path) {
  for (const std::string_view probe : kProbes) {
    if (path == probe) return true;
    if (path.starts_with(probe) && path[probe.size()] == '/') return true;
  }
  return false;
}

}  // namespace

void StandaloneAuthorizer::Authorize(const Attributes& attributes,
                                     std::function<void(Decision)> done) const {
  const bool reads = attributes.verb == "get" || attributes.verb == "head";
  Decision decision;
  decision.allowed = attributes.user->InGroup(kAuthenticatedGroup) ||
                     (!attributes.resource_request && reads && IsProbe(attributes.path));
  done(decision);
}

}  // namespace asyncops::apiserver
