// Whether a client certificate speaks for whom it says, by one CA bundle.
#ifndef ASYNCOPS_APISERVER_TLS_CERTIFICATE_VERIFIER_H_
#define ASYNCOPS_APISERVER_TLS_CERTIFICATE_VERIFIER_H_

#include <memory>
#include <string>

#include "apiserver/http/request.h"
#include "apiserver/tls/ca.h"
#include "base/clock.h"
#include "base/status.h"

namespace asyncops::tls {

struct VerifiedCertificate {
  Subject subject;
  // Between these the same answer holds, so that it may be kept by the certificate's fingerprint:
  // verifying costs some hundred microseconds.
  Time valid_from;
  Time valid_until;  // exclusive
};

// Immutable; safe for use from several threads.
class CertificateVerifier {
 public:
  // `ca_bundle_pem`: one or more certificates, each a trust anchor. BadRequest where there is none,
  // or one is broken.
  static Result<std::unique_ptr<CertificateVerifier>> Make(const std::string& ca_bundle_pem);
  virtual ~CertificateVerifier() = default;

  // Unauthorized, with the reason for a log, unless at this time: the chain ends in an anchor, no
  // link is expired or not yet valid, the certificate's extended key usage names clientAuth, and
  // its subject has exactly one, non-empty CN without control characters. Names in subjectAltName
  // are not looked at.
  virtual Result<VerifiedCertificate> Verify(const http::PeerCertificate& peer, Time now) const = 0;
};

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_CERTIFICATE_VERIFIER_H_
