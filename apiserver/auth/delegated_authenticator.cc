#include "apiserver/auth/delegated_authenticator.h"

#include <utility>
#include <vector>

namespace asyncops::apiserver {

DelegatedAuthenticator::DelegatedAuthenticator(const Clock& clock,
                                               std::function<void(const std::string&)> on_change)
    : clock_(clock), on_change_(std::move(on_change)), trust_(std::make_shared<const Trust>()) {}

std::shared_ptr<const DelegatedAuthenticator::Trust> DelegatedAuthenticator::Current() const {
  const MutexLock lock(mutex_);
  return trust_;
}

std::optional<Authentication> DelegatedAuthenticator::TryAuthenticate(
    const http::Request& request) const {
  if (request.peer_certificate == nullptr) return Authentication(UserPointer());
  const std::shared_ptr<const Trust> trust = Current();
  if (trust->proxy != nullptr) {
    Authentication user = trust->proxy->Identify(request);
    if (!user.ok() || *user != nullptr) return user;
  }
  if (trust->clients == nullptr) return Authentication(UserPointer());
  return trust->clients->Identify(request);
}

void DelegatedAuthenticator::Authenticate(const http::Request& request,
                                          AuthenticationCallback done) const {
  done(*TryAuthenticate(request));
}

Result<std::shared_ptr<const DelegatedAuthenticator::Trust>> DelegatedAuthenticator::MakeTrust(
    const DelegatedAuthenticationConfig& config) const {
  const auto trust = std::make_shared<Trust>();
  trust->config = config;
  if (!config.client_ca_pem.empty()) {
    auto verifier = tls::CertificateVerifier::Make(config.client_ca_pem);
    if (!verifier.ok()) return verifier.status().WithContext("client-ca-file");
    std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers;
    verifiers.push_back(*std::move(verifier));
    trust->clients = std::make_unique<ClientCertificateAuthenticator>(std::move(verifiers), clock_);
  }
  if (!config.request_header.ca_pem.empty()) {
    auto proxy =
        RequestHeaderAuthenticator::Make(config.request_header, config.client_ca_pem, clock_);
    if (!proxy.ok()) return proxy.status();
    trust->proxy = *std::move(proxy);
  }
  return std::shared_ptr<const Trust>(trust);
}

Status DelegatedAuthenticator::Set(const DelegatedAuthenticationConfig& config) {
  const std::shared_ptr<const Trust> before = Current();
  if (before->config == config) return Status::Ok();
  if (before->proxy != nullptr && config.request_header.ca_pem.empty())
    return BadRequest("requestheader-client-ca-file: there was one, and now there is none");
  if (before->clients != nullptr && config.client_ca_pem.empty())
    return BadRequest("client-ca-file: there was one, and now there is none");
  Result<std::shared_ptr<const Trust>> made = MakeTrust(config);
  if (!made.ok()) return made.status();
  {
    const MutexLock lock(mutex_);
    trust_ = *std::move(made);
  }
  if (on_change_) on_change_(config.client_ca_pem + "\n" + config.request_header.ca_pem);
  return Status::Ok();
}

}  // namespace asyncops::apiserver
