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
          "A token from an OAuth 2.0 server by the client credentials grant (RFC 6749, 4.4). It is "
          "kept in memory until it ends.")
          .Field("tokenURL", &OAuth2ClientCredentials::token_url,
                 "Where tokens are asked for, such as https://login.acme.example/token. Must be "
                 "https, but for a server on this machine. It need not be in allowedOrigins.",
                 {.required = true, .format = StringFormat::kUrl, .max_length = 4096})
          .Field("clientIDSecretRef", &OAuth2ClientCredentials::client_id_secret_ref,
                 "The Secret's key that holds the client ID.", {.required = true})
          .Field("clientSecretRef", &OAuth2ClientCredentials::client_secret_ref,
                 "The Secret's key that holds the client secret.", {.required = true})
          .Field("scopes", &OAuth2ClientCredentials::scopes,
                 "Scopes to ask for; those that the server gives by itself where absent.",
                 {.max_items = 64})
          .Field("clientAuthentication", &OAuth2ClientCredentials::client_authentication,
                 "How ID and secret are shown to the token server: Basic (client_secret_basic, in "
                 "the Authorization header) or Post (client_secret_post, in the body). Basic where "
                 "absent.",
                 {.enum_values = {"Basic", "Post"}});
  return kBinding;
}

const ObjectBinding<AwsSigV4>& AwsSigV4::Binding() {
  static const auto kBinding =
      ObjectBinding<AwsSigV4>("dev.asyncops.v1alpha1.AWSSigV4",
                              "AWS Signature Version 4: each call is signed as it is sent; the "
                              "signature is never stored.")
          .Field("region", &AwsSigV4::region, "Region of the endpoint, such as eu-central-1.",
                 {.required = true, .min_length = 1, .max_length = 64})
          .Field("service", &AwsSigV4::service,
                 "Signing name of the service, such as cloudcontrolapi.",
                 {.required = true, .min_length = 1, .max_length = 64})
          .Field("accessKeyIDSecretRef", &AwsSigV4::access_key_id_secret_ref,
                 "The Secret's key that holds the access key ID.", {.required = true})
          .Field("secretAccessKeySecretRef", &AwsSigV4::secret_access_key_secret_ref,
                 "The Secret's key that holds the secret access key.", {.required = true})
          .Field("sessionTokenSecretRef", &AwsSigV4::session_token_secret_ref,
                 "The Secret's key that holds the session token of temporary keys; sent as "
                 "X-Amz-Security-Token.");
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
                 "A token from an OAuth 2.0 server; sent as Authorization: Bearer.")
          .Field("awsSigV4", &AuthSpec::aws_sig_v4,
                 "AWS keys that sign each call; nothing secret is sent but a session token.");
  return kBinding;
}

}  // namespace asyncops
