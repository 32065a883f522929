#include "api/asyncops/v1alpha1/external_system.h"
#include "api/schema/binding.h"

namespace asyncops {

const ObjectBinding<TlsSpec>& TlsSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<TlsSpec>("dev.asyncops.v1alpha1.TLS",
                             "How the system's certificate is verified, and what is shown to it.")
          .Field("caBundle", &TlsSpec::ca_bundle,
                 "Certificates (PEM, in base64) that the system's certificate must come from. The "
                 "machine's own authorities where absent.",
                 {.format = StringFormat::kBase64, .max_length = 262144})
          .Field(
              "clientCertificateSecretRef", &TlsSpec::client_certificate_secret_ref,
              "A Secret of type kubernetes.io/tls (tls.crt, tls.key) to show to the system; none "
              "is shown where absent.");
  return kBinding;
}

const ObjectBinding<BasicAuth>& BasicAuth::Binding() {
  static const auto kBinding =
      ObjectBinding<BasicAuth>("dev.asyncops.v1alpha1.BasicAuth", "HTTP basic authentication.")
          .Field("usernameSecretRef", &BasicAuth::username_secret_ref,
                 "The Secret's key that holds the user name.", {.required = true})
          .Field("passwordSecretRef", &BasicAuth::password_secret_ref,
                 "The Secret's key that holds the password.", {.required = true});
  return kBinding;
}

const ObjectBinding<HeaderAuth>& HeaderAuth::Binding() {
  static const auto kBinding =
      ObjectBinding<HeaderAuth>("dev.asyncops.v1alpha1.HeaderAuth",
                                "A header that carries a credential.")
          .Field("name", &HeaderAuth::name, "Name of the header, such as X-Api-Key.",
                 {.required = true, .min_length = 1, .max_length = 256})
          .Field("secretRef", &HeaderAuth::secret_ref,
                 "The Secret's key that holds the header's whole value.", {.required = true});
  return kBinding;
}

const ObjectBinding<OAuth2ClientCredentials>& OAuth2ClientCredentials::Binding() {
  static const auto kBinding =
      ObjectBinding<OAuth2ClientCredentials>(
          "dev.asyncops.v1alpha1.OAuth2ClientCredentials",
          "A token from an OAuth 2.0 server. Not carried out by this release: use "
          "bearerTokenSecretRef.")
          .Field("tokenURL", &OAuth2ClientCredentials::token_url,
                 "Where tokens are asked for, such as https://login.acme.example/token.",
                 {.required = true, .format = StringFormat::kUrl, .max_length = 4096})
          .Field("clientIDSecretRef", &OAuth2ClientCredentials::client_id_secret_ref,
                 "The Secret's key that holds the client ID.", {.required = true})
          .Field("clientSecretRef", &OAuth2ClientCredentials::client_secret_ref,
                 "The Secret's key that holds the client secret.", {.required = true})
          .Field("scopes", &OAuth2ClientCredentials::scopes,
                 "Scopes to ask for; those that the server gives by itself where absent.",
                 {.max_items = 64});
  return kBinding;
}

const ObjectBinding<AuthSpec>& AuthSpec::Binding() {
  static const auto kBinding =
      ObjectBinding<AuthSpec>("dev.asyncops.v1alpha1.Auth",
                              "How calls are authenticated: one of the ways below. Credentials are "
                              "sent to the endpoint's own origin alone.")
          .Field("bearerTokenSecretRef", &AuthSpec::bearer_token_secret_ref,
                 "The Secret's key that holds a token; sent as Authorization: Bearer.")
          .Field("basic", &AuthSpec::basic, "User name and password; sent as Authorization: Basic.")
          .Field("headers", &AuthSpec::headers,
                 "Headers whose values come from Secrets, such as X-Api-Key.", {.max_items = 16})
          .Field("oauth2ClientCredentials", &AuthSpec::oauth2_client_credentials,
                 "A token from an OAuth 2.0 server. Not carried out by this release: use "
                 "bearerTokenSecretRef.");
  return kBinding;
}

}  // namespace asyncops
