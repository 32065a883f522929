#include "apiserver/auth/standalone_authorizer.h"

#include "apiserver/auth/probe_path.h"

namespace asyncops::apiserver {

void StandaloneAuthorizer::Authorize(const Attributes& attributes,
                                     std::function<void(Decision)> done) const {
  Decision decision;
  decision.allowed = attributes.user->InGroup(kAuthenticatedGroup) || IsProbe(attributes);
  done(decision);
}

}  // namespace asyncops::apiserver
