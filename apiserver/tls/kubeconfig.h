// The kubeconfig of a standalone server.
#ifndef ASYNCOPS_APISERVER_TLS_KUBECONFIG_H_
#define ASYNCOPS_APISERVER_TLS_KUBECONFIG_H_

#include <string>

#include "apiserver/tls/certificate.h"

namespace asyncops::tls {

// YAML with one cluster, one user and one context, all of one name: the CA and the client's
// certificate and key embedded, the namespace "default". Holds a key.
std::string EncodeKubeconfig(const std::string& server_url, const std::string& ca_certificate_pem,
                             const KeyPair& client);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_KUBECONFIG_H_
