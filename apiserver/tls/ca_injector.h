// Tells kube-apiserver which CA our serving certificate is of: in our APIService, and in our
// ValidatingWebhookConfiguration.
#ifndef ASYNCOPS_APISERVER_TLS_CA_INJECTOR_H_
#define ASYNCOPS_APISERVER_TLS_CA_INJECTOR_H_

#include <string>

#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops::tls {

struct CaTargets {
  std::string api_service = "v1alpha1.operations.asyncops.dev";
  std::string webhook_configuration = "asyncops";
};

// Sets caBundle of the APIService, and of each webhook of the configuration, to this bundle (PEM),
// where it is another. OK where both have it now, or are not there: nobody calls by them then. Else
// what the API server said of the first that failed; both are tried. Blocks.
Status InjectCaBundle(kube::ApiClient& client, const CaTargets& targets, const std::string& bundle);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_CA_INJECTOR_H_
