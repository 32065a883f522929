// A request of a client that shows a certificate.
#ifndef ASYNCOPS_TESTS_UNIT_AUTH_SHOWING_CERTIFICATE_H_
#define ASYNCOPS_TESTS_UNIT_AUTH_SHOWING_CERTIFICATE_H_

#include <memory>
#include <string>
#include <utility>

#include "apiserver/http/request.h"
#include "apiserver/tls/ca.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops::apiserver {

// The leaf alone, as a client of a root CA shows it; `fingerprint` is its SHA-256 where "".
inline http::Request ShowingCertificate(const tls::KeyPair& pair, std::string fingerprint = "") {
  const std::string& pem = pair.certificate_pem;
  const std::size_t begin = pem.find('\n') + 1;
  std::string text = pem.substr(begin, pem.find("-----END") - begin);
  std::erase(text, '\n');
  http::PeerCertificate shown;
  shown.leaf_der = Base64Decode(text).value_or("");
  shown.fingerprint = fingerprint.empty() ? Sha256(shown.leaf_der) : std::move(fingerprint);
  http::Request request;
  request.peer_certificate = std::make_shared<const http::PeerCertificate>(std::move(shown));
  return request;
}

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_TESTS_UNIT_AUTH_SHOWING_CERTIFICATE_H_
