// The serving certificate that an operator gives as files.
#ifndef ASYNCOPS_APISERVER_TLS_SERVING_FILES_H_
#define ASYNCOPS_APISERVER_TLS_SERVING_FILES_H_

#include <string>

#include "apiserver/tls/certificate.h"
#include "base/status.h"

namespace asyncops::tls {

struct ServingFiles {
  std::string certificate_path;  // --tls-cert-file: leaf first, then the chain
  std::string key_path;          // --tls-private-key-file
};

// Both files, once they are known to be readable and to belong together. BadRequest names the file
// that is wrong and what is wrong with it, never its bytes.
Result<KeyPair> LoadServingFiles(const ServingFiles& files);

// A CA bundle (--client-ca-file) once it is known to hold a certificate. BadRequest names the file.
Result<std::string> LoadCaBundle(const std::string& path);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_SERVING_FILES_H_
