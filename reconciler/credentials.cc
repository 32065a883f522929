#include "reconciler/credentials.h"

#include <algorithm>
#include <map>

#include "base/encoding.h"

namespace asyncops::reconciler {
namespace {

std::string InQuotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// Secrets of one namespace, each read once.
class SecretReader {
 public:
  SecretReader(const ExternalSystem& system, ResourceClient& resources)
      : namespace_(system.metadata.namespace_name),
        leaving_(system.metadata.deletion_timestamp.has_value()),
        resources_(resources) {}

  Result<std::string> Read(const std::string& name, const std::string& key) {
    Result<std::string> value = ReadPublic(name, key);
    if (value.ok()) values_.push_back(*value);
    return value;
  }

  // The value as a header can carry it: files often end with a newline.
  Result<std::string> ReadLine(const SecretKeyRef& ref) {
    const Result<std::string> whole = Read(ref.name, ref.key);
    if (!whole.ok()) return whole;
    Result<std::string> line = ReadPublicLine(ref);
    if (line.ok()) values_.push_back(*line);
    return line;
  }

  // The same of a value that may be shown.
  Result<std::string> ReadPublicLine(const SecretKeyRef& ref) {
    Result<std::string> value = ReadPublic(ref.name, ref.key);
    if (!value.ok()) return value;
    while (!value->empty() && (value->back() == '\n' || value->back() == '\r')) value->pop_back();
    const bool control = std::any_of(value->begin(), value->end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    });
    if (!control) return value;
    return Status(Reason::kInvalid, "key " + InQuotes(ref.key) + " of secret " +
                                        InQuotes(ref.name) +
                                        " has line breaks or control characters");
  }

  void AddSecret(std::string value) { values_.push_back(std::move(value)); }
  std::vector<std::string> TakeValues() { return std::move(values_); }

 private:
  Result<std::string> ReadPublic(const std::string& name, const std::string& key) {
    auto found = read_.find(name);
    if (found == read_.end()) {
      const ObjectName secret{namespace_, name};
      Result<SecretData> data =
          leaving_ ? resources_.GetLastSecret(secret) : resources_.GetSecret(secret);
      if (data.status().reason() == Reason::kNotFound) return Missing(name, "is not there");
      if (!data.ok()) return data.status();
      found = read_.emplace(name, *std::move(data)).first;
    }
    const auto value = found->second.find(key);
    if (value == found->second.end()) return Missing(name, "has no key " + InQuotes(key));
    return value->second;
  }

  Status Missing(const std::string& name, const std::string& what) const {
    return {Reason::kNotFound, "secret " + InQuotes(namespace_ + "/" + name) + " " + what};
  }

  const std::string namespace_;
  const bool leaving_;
  ResourceClient& resources_;
  std::map<std::string, SecretData> read_;
  std::vector<std::string> values_;
};

Status AddBasic(const BasicAuth& basic, SecretReader* reader, Credentials* out) {
  if (!basic.username_secret_ref || !basic.password_secret_ref)
    return {Reason::kInvalid, "auth.basic needs usernameSecretRef and passwordSecretRef"};
  const Result<std::string> user = reader->ReadLine(*basic.username_secret_ref);
  ASYNCOPS_RETURN_IF_ERROR(user);
  const Result<std::string> password = reader->ReadLine(*basic.password_secret_ref);
  ASYNCOPS_RETURN_IF_ERROR(password);
  const std::string pair = *user + ":" + *password;
  reader->AddSecret(pair);
  out->headers.emplace_back("Authorization", "Basic " + Base64Encode(pair));
  return Status::Ok();
}

Status AddGrant(const ExternalSystem& system, const OAuth2ClientCredentials& oauth2,
                SecretReader* reader, Credentials* out) {
  const std::optional<Uri> url = ParseUri(oauth2.token_url);
  if (!url || !oauth2.client_id_secret_ref || !oauth2.client_secret_ref) {
    return {Reason::kInvalid,
            "auth.oauth2ClientCredentials needs a tokenURL, clientIDSecretRef and clientSecretRef"};
  }
  TokenGrant grant;
  grant.owner = system.metadata.uid + "/" + std::to_string(system.metadata.generation);
  grant.url = *url;
  Result<std::string> id = reader->ReadLine(*oauth2.client_id_secret_ref);
  ASYNCOPS_RETURN_IF_ERROR(id);
  Result<std::string> secret = reader->ReadLine(*oauth2.client_secret_ref);
  ASYNCOPS_RETURN_IF_ERROR(secret);
  grant.client_id = *std::move(id);
  grant.client_secret = *std::move(secret);
  grant.scopes = oauth2.scopes;
  grant.in_body = oauth2.client_authentication == "Post";
  out->grant = std::move(grant);
  return Status::Ok();
}

Status AddSigner(const AwsSigV4& aws, SecretReader* reader, Credentials* out) {
  if (!aws.access_key_id_secret_ref || !aws.secret_access_key_secret_ref) {
    return {Reason::kInvalid,
            "auth.awsSigV4 needs accessKeyIDSecretRef and secretAccessKeySecretRef"};
  }
  SigV4Signer signer;
  signer.region = aws.region;
  signer.service = aws.service;
  // No secret: it stands in every signed request, and in what AWS says of it.
  Result<std::string> id = reader->ReadPublicLine(*aws.access_key_id_secret_ref);
  ASYNCOPS_RETURN_IF_ERROR(id);
  Result<std::string> secret = reader->ReadLine(*aws.secret_access_key_secret_ref);
  ASYNCOPS_RETURN_IF_ERROR(secret);
  signer.access_key_id = *std::move(id);
  signer.secret_access_key = *std::move(secret);
  if (aws.session_token_secret_ref) {
    Result<std::string> token = reader->ReadLine(*aws.session_token_secret_ref);
    ASYNCOPS_RETURN_IF_ERROR(token);
    signer.session_token = *std::move(token);
  }
  out->signer = std::move(signer);
  return Status::Ok();
}

Status AddAuth(const ExternalSystem& system, SecretReader* reader, Credentials* out) {
  const AuthSpec& auth = *system.spec.auth;
  if (auth.bearer_token_secret_ref) {
    const Result<std::string> token = reader->ReadLine(*auth.bearer_token_secret_ref);
    ASYNCOPS_RETURN_IF_ERROR(token);
    out->headers.emplace_back("Authorization", "Bearer " + *token);
  }
  if (auth.basic) ASYNCOPS_RETURN_IF_ERROR(AddBasic(*auth.basic, reader, out));
  for (const HeaderAuth& header : auth.headers) {
    if (!header.secret_ref) return {Reason::kInvalid, "auth.headers needs a secretRef"};
    Result<std::string> value = reader->ReadLine(*header.secret_ref);
    ASYNCOPS_RETURN_IF_ERROR(value);
    out->headers.emplace_back(header.name, *std::move(value));
  }
  if (auth.oauth2_client_credentials)
    ASYNCOPS_RETURN_IF_ERROR(AddGrant(system, *auth.oauth2_client_credentials, reader, out));
  if (auth.aws_sig_v4) ASYNCOPS_RETURN_IF_ERROR(AddSigner(*auth.aws_sig_v4, reader, out));
  return Status::Ok();
}

Status AddTls(const TlsSpec& spec, bool trusted, SecretReader* reader, Credentials* out) {
  auto tls = std::make_shared<kube::TlsSettings>();
  if (!spec.ca_bundle.empty()) {
    std::optional<std::string> pem = Base64Decode(spec.ca_bundle);
    if (!pem) return {Reason::kInvalid, "tls.caBundle is no base64"};
    tls->ca_pem = *std::move(pem);
  }
  if (spec.client_certificate_secret_ref && trusted) {
    const std::string& name = spec.client_certificate_secret_ref->name;
    const Result<std::string> certificate = reader->Read(name, "tls.crt");
    ASYNCOPS_RETURN_IF_ERROR(certificate);
    const Result<std::string> key = reader->Read(name, "tls.key");
    ASYNCOPS_RETURN_IF_ERROR(key);
    tls->client_certificate_pem = *certificate;
    tls->client_key_pem = *key;
  }
  out->tls = std::move(tls);
  return Status::Ok();
}

std::shared_ptr<const kube::TlsSettings> WithoutClient(
    const std::shared_ptr<const kube::TlsSettings>& tls) {
  if (tls == nullptr) return nullptr;
  auto bare = std::make_shared<kube::TlsSettings>();
  bare->ca_pem = tls->ca_pem;
  return bare;
}

// Reads what this call does not send, but others did: a system may show it here. What cannot be
// read now cannot be known.
void LearnSecrets(const ExternalSystem& system, const RenderedRequest& request, bool trusted,
                  SecretReader* reader) {
  for (const SecretKeyRef& ref : request.known_secrets) static_cast<void>(reader->ReadLine(ref));
  if (trusted) return;
  for (const RenderedHeader& header : request.headers) {
    if (header.secret_key_ref) static_cast<void>(reader->ReadLine(*header.secret_key_ref));
  }
  Credentials unsent;
  if (system.spec.auth) static_cast<void>(AddAuth(system, reader, &unsent));
}

}  // namespace

Result<Credentials> ReadCredentials(const ExternalSystem& system, const RenderedRequest& request,
                                    bool trusted, ResourceClient& resources) {
  SecretReader reader(system, resources);
  Credentials out;
  for (const RenderedHeader& header : request.headers) {
    if (!header.secret_key_ref) {
      out.headers.emplace_back(header.name, header.value);
    } else if (trusted) {
      Result<std::string> value = reader.ReadLine(*header.secret_key_ref);
      ASYNCOPS_RETURN_IF_ERROR(value);
      out.headers.emplace_back(header.name, *std::move(value));
    }
  }
  if (trusted && system.spec.auth) ASYNCOPS_RETURN_IF_ERROR(AddAuth(system, &reader, &out));
  if (system.spec.tls) ASYNCOPS_RETURN_IF_ERROR(AddTls(*system.spec.tls, trusted, &reader, &out));
  // The token server may show the same certificates; the client's goes to the endpoint alone.
  if (out.grant) out.grant->tls = WithoutClient(out.tls);
  LearnSecrets(system, request, trusted, &reader);
  out.secrets = reader.TakeValues();
  return out;
}

}  // namespace asyncops::reconciler
