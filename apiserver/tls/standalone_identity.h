// The certificates of a standalone server: made in its data directory at the first start, loaded
// later.
#ifndef ASYNCOPS_APISERVER_TLS_STANDALONE_IDENTITY_H_
#define ASYNCOPS_APISERVER_TLS_STANDALONE_IDENTITY_H_

#include <chrono>
#include <string>
#include <vector>

#include "apiserver/tls/certificate.h"
#include "base/clock.h"
#include "base/status.h"

namespace asyncops::tls {

// A certificate that ends sooner is issued anew at the next start.
inline constexpr std::chrono::hours kRenewBefore{24 * 30};

struct StandaloneOptions {
  std::string data_dir;            // made (0700) where it is missing
  std::string server_url;          // what clients dial: "https://127.0.0.1:8443"
  std::vector<std::string> names;  // DNS names and IP addresses that the server is called by
};

struct StandaloneIdentity {
  std::string ca_certificate_pem;  // verifies both sides
  KeyPair serving;
  std::string kubeconfig_path;  // a client of group system:masters
};

// In `data_dir`: pki/ca.crt and pki/ca.key; pki/serving.pem and pki/admin.pem, each certificate and
// key in one file, so that a crash never parts them; kubeconfig, written anew whenever it would
// read otherwise. Keys are 0600. Serving and admin certificates are issued again when they are near
// their end, not of this CA, or, for serving, the names changed. InternalError names a file that is
// damaged, and what to do; never its bytes. One process at a time may do this: the caller holds the
// data directory's lock.
Result<StandaloneIdentity> LoadStandaloneIdentity(const StandaloneOptions& options,
                                                  const Clock& clock);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_STANDALONE_IDENTITY_H_
