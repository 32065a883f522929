// Authorization with no cluster to ask.
#ifndef ASYNCOPS_APISERVER_AUTH_STANDALONE_AUTHORIZER_H_
#define ASYNCOPS_APISERVER_AUTH_STANDALONE_AUTHORIZER_H_

#include "apiserver/auth/authorizer.h"

namespace asyncops::apiserver {

// Whoever the owner of the data directory gave a certificate or a token may do everything; anyone
// at all may ask the probes (/healthz, /livez, /readyz and what is below them).
class StandaloneAuthorizer final : public Authorizer {
 public:
  void Authorize(const Attributes& attributes, std::function<void(Decision)> done) const override;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_STANDALONE_AUTHORIZER_H_
