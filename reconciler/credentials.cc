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
  SecretReader(std::string namespace_name, ResourceClient& resources)
      : namespace_(std::move(namespace_name)), resources_(resources) {}

  Result<std::string> Read(const std::string& name, const std::string& key) {
    auto found = read_.find(name);
    if (found == read_.end()) {
      Result<SecretData> data = resources_.GetSecret({namespace_, name});
      if (data.status().reason() == Reason::kNotFound) return Missing(name, "is not there");
      if (!data.ok()) return data.status();
      found = read_.emplace(name, *std::move(data)).first;
    }
    const auto value = found->second.find(key);
    if (value == found->second.end()) return Missing(name, "has no key " + InQuotes(key));
    values_.push_back(value->second);
    return value->second;
  }

  Result<std::string> Read(const SecretKeyRef& ref) { return Read(ref.name, ref.key); }

  // The value as a header can carry it: files often end with a newline.
  Result<std::string> ReadLine(const SecretKeyRef& ref) {
    Result<std::string> value = Read(ref);
    if (!value.ok()) return value;
    while (!value->empty() && (value->back() == '\n' || value->back() == '\r')) value->pop_back();
    const bool control = std::any_of(value->begin(), value->end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    });
    if (control) {
      return Status(Reason::kInvalid, "key " + InQuotes(ref.key) + " of secret " +
                                          InQuotes(ref.name) +
                                          " has line breaks or control characters");
    }
    values_.push_back(*value);
    return value;
  }

  void AddSecret(std::string value) { values_.push_back(std::move(value)); }
  std::vector<std::string> TakeValues() { return std::move(values_); }

 private:
  Status Missing(const std::string& name, const std::string& what) const {
    return {Reason::kNotFound, "secret " + InQuotes(namespace_ + "/" + name) + " " + what};
  }

  const std::string namespace_;
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

Status AddAuth(const AuthSpec& auth, SecretReader* reader, Credentials* out) {
  if (auth.oauth2_client_credentials)
    return {Reason::kInvalid, "auth.oauth2ClientCredentials is not carried out by this release"};
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
  if (system.spec.auth) static_cast<void>(AddAuth(*system.spec.auth, reader, &unsent));
}

}  // namespace

Result<Credentials> ReadCredentials(const ExternalSystem& system, const RenderedRequest& request,
                                    bool trusted, ResourceClient& resources) {
  SecretReader reader(system.metadata.namespace_name, resources);
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
  if (trusted && system.spec.auth)
    ASYNCOPS_RETURN_IF_ERROR(AddAuth(*system.spec.auth, &reader, &out));
  if (system.spec.tls) ASYNCOPS_RETURN_IF_ERROR(AddTls(*system.spec.tls, trusted, &reader, &out));
  LearnSecrets(system, request, trusted, &reader);
  out.secrets = reader.TakeValues();
  return out;
}

}  // namespace asyncops::reconciler
