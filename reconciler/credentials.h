// The credentials of one call, read from Secrets when it is made and not kept with it.
#ifndef ASYNCOPS_RECONCILER_CREDENTIALS_H_
#define ASYNCOPS_RECONCILER_CREDENTIALS_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/asyncops/v1alpha1/external_system.h"
#include "kube/http_transport.h"
#include "reconciler/oauth2_token.h"
#include "reconciler/rendered_request.h"
#include "reconciler/resource_client.h"
#include "reconciler/sigv4.h"

namespace asyncops::reconciler {

struct Credentials {
  std::vector<std::pair<std::string, std::string>> headers;  // the request's own, and those of auth
  std::shared_ptr<const kube::TlsSettings> tls;
  // With auth.oauth2ClientCredentials: how a token is asked for. Its bearer header is not among the
  // headers yet.
  std::optional<TokenGrant> grant;
  // With auth.awsSigV4: what signs the request, and each request that a redirect leads to.
  std::optional<SigV4Signer> signer;
  // Every value of a Secret that the answer might show: what is sent, and what this system was sent
  // by other calls.
  std::vector<std::string> secrets;
  // The same of this call alone: its signatures.
  std::vector<std::string> call_secrets;
};

// `trusted`: the call goes to the endpoint's origin; otherwise headers from Secrets, auth and the
// client certificate are left out (`grant` and `signer` too). NotFound names a Secret or key that
// is missing ("secret \"acme\" has no key \"token\""); Invalid where a value cannot be sent or the
// CA bundle is none. Of a system under deletion, whose Secrets often go before what needs them,
// those that are gone are as they were known last.
Result<Credentials> ReadCredentials(const ExternalSystem& system, const RenderedRequest& request,
                                    bool trusted, ResourceClient& resources);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CREDENTIALS_H_
