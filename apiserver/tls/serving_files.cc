#include "apiserver/tls/serving_files.h"

#include <optional>
#include <utility>

#include "apiserver/tls/certificate_verifier.h"
#include "apiserver/tls/private_file.h"

namespace asyncops::tls {
namespace {

Result<std::string> ReadFile(const std::string& path) {
  Result<std::optional<std::string>> bytes = ReadFileIfExists(path);
  if (!bytes.ok()) return BadRequest(bytes.status().message());
  if (!bytes->has_value()) return BadRequest(path + ": no such file");
  return **std::move(bytes);
}

}  // namespace

Result<KeyPair> LoadServingFiles(const ServingFiles& files) {
  Result<std::string> certificate = ReadFile(files.certificate_path);
  if (!certificate.ok()) return certificate.status();
  Result<std::string> key = ReadFile(files.key_path);
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
  Result<std::string> bundle = ReadFile(path);
  if (!bundle.ok()) return bundle;
  if (const auto verifier = CertificateVerifier::Make(*bundle); !verifier.ok()) {
    return verifier.status().WithContext(path);
  }
  return bundle;
}

}  // namespace asyncops::tls
