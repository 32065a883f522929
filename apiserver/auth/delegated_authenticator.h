// Whom kube-apiserver vouches for: its front proxy, and the client certificates of its CA. What it
// goes by may change while the process runs.
#ifndef ASYNCOPS_APISERVER_AUTH_DELEGATED_AUTHENTICATOR_H_
#define ASYNCOPS_APISERVER_AUTH_DELEGATED_AUTHENTICATOR_H_

#include <functional>
#include <memory>
#include <string>

#include "apiserver/auth/client_certificate.h"
#include "apiserver/auth/request_header.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace asyncops::apiserver {

// From flags or from the ConfigMap kube-system/extension-apiserver-authentication. A value.
struct DelegatedAuthenticationConfig {
  std::string client_ca_pem;  // "" where no client certificate is taken
  RequestHeaderConfig request_header;

  bool operator==(const DelegatedAuthenticationConfig&) const = default;
};

// The front proxy first, then a certificate of the client CA: CN is the user, each O a group. Until
// the first Set nobody is known. Safe for use from several threads.
class DelegatedAuthenticator final : public Authenticator {
 public:
  // The clock outlives it. `on_change`, where given, is called on the thread of a Set that changed
  // something, with the PEM of both CAs: for the names that the listener asks certificates by.
  explicit DelegatedAuthenticator(const Clock& clock,
                                  std::function<void(const std::string&)> on_change = nullptr);

  void Authenticate(const http::Request& request, AuthenticationCallback done) const override;
  std::optional<Authentication> TryAuthenticate(const http::Request& request) const override;

  // Goes by this from the next request on. BadRequest, which begins with the key or flag that is
  // wrong, where it cannot be: a CA or header that is none, CAs that must not be one (see
  // RequestHeaderAuthenticator::Make), or nothing in place of a CA that there was. What there was
  // stays then.
  Status Set(const DelegatedAuthenticationConfig& config);

 private:
  // Immutable once made; requests share it.
  struct Trust {
    DelegatedAuthenticationConfig config;
    std::unique_ptr<RequestHeaderAuthenticator> proxy;        // null for none
    std::unique_ptr<ClientCertificateAuthenticator> clients;  // null for none
  };

  std::shared_ptr<const Trust> Current() const;
  Result<std::shared_ptr<const Trust>> MakeTrust(const DelegatedAuthenticationConfig& config) const;

  const Clock& clock_;
  const std::function<void(const std::string&)> on_change_;

  mutable Mutex mutex_;
  std::shared_ptr<const Trust> trust_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_DELEGATED_AUTHENTICATOR_H_
