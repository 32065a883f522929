#include "apiserver/tls/serving_files.h"

#include <utility>

#include "apiserver/tls/certificate_verifier.h"
#include "base/read_file.h"

namespace asyncops::tls {

Result<KeyPair> LoadServingFiles(const ServingFiles& files) {
  Result<std::string> certificate = ReadFile(files.certificate_path, "the certificate");
  if (!certificate.ok()) return certificate.status();
  Result<std::string> key = ReadFile(files.key_path, "the key");
  if (!key.ok()) return key.status();
  if (const auto info = ReadCertificate(*certificate); !info.ok()) {
    return info.status().WithContext(files.certificate_path);
  }
  KeyPair pair{*std::move(certificate), *std::move(key)};
  if (const Status status = CheckKeyPair(pair); !status.ok()) {
    return status.WithContext(files.key_path);
  }
  return pair;
}

Result<std::string> LoadCaBundle(const std::string& path) {
  Result<std::string> bundle = ReadFile(path, "the CA bundle");
  if (!bundle.ok()) return bundle;
  if (const auto verifier = CertificateVerifier::Make(*bundle); !verifier.ok()) {
    return verifier.status().WithContext(path);
  }
  return bundle;
}

}  // namespace asyncops::tls
