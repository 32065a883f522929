#include "apiserver/tls/standalone_identity.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "apiserver/tls/ca.h"
#include "apiserver/tls/kubeconfig.h"
#include "apiserver/tls/private_file.h"

namespace asyncops::tls {
namespace {

constexpr int kKeyMode = 0600;
constexpr int kCertificateMode = 0644;
constexpr std::string_view kKeyMarker = "-----BEGIN PRIVATE KEY-----";

Status Damaged(const std::string& path, const std::string& what, std::string_view remedy) {
  return InternalError(path + " is damaged (" + what + "); " + std::string(remedy));
}

Result<KeyPair> MakeCa(const std::string& certificate_path, const std::string& key_path, Time now) {
  Result<KeyPair> made = MakeCertificateAuthority("asyncops-ca", now);
  if (!made.ok()) return made;
  // The certificate comes last: where it stands, the CA is whole.
  ASYNCOPS_RETURN_IF_ERROR(WriteFileAtomically(key_path, made->key_pem, kKeyMode));
  ASYNCOPS_RETURN_IF_ERROR(
      WriteFileAtomically(certificate_path, made->certificate_pem, kCertificateMode));
  return made;
}

Result<KeyPair> LoadOrMakeCa(const std::string& directory, Time now) {
  constexpr std::string_view kRemedy =
      "restore both files of the CA from a backup, or remove both to make a new CA, "
      "which no kubeconfig given out before will trust";
  const std::string certificate_path = directory + "/ca.crt";
  const std::string key_path = directory + "/ca.key";
  Result<std::optional<std::string>> certificate = ReadFileIfExists(certificate_path);
  if (!certificate.ok()) return certificate.status();
  if (!certificate->has_value()) return MakeCa(certificate_path, key_path, now);
  Result<std::optional<std::string>> key = ReadFileIfExists(key_path);
  if (!key.ok()) return key.status();
  if (!key->has_value()) return Damaged(key_path, "it is missing", kRemedy);
  const Result<CertificateInfo> info = ReadCertificate(**certificate);
  if (!info.ok()) return Damaged(certificate_path, info.status().message(), kRemedy);
  if (!info->is_ca) return Damaged(certificate_path, "it is no CA certificate", kRemedy);
  if (now >= info->not_after) return Damaged(certificate_path, "it has expired", kRemedy);
  KeyPair ca{**std::move(certificate), **std::move(key)};
  if (const Status status = CheckKeyPair(ca); !status.ok()) {
    return Damaged(key_path, status.message(), kRemedy);
  }
  return ca;
}

// Nothing where there is no such file.
Result<std::optional<KeyPair>> LoadPair(const std::string& path) {
  constexpr std::string_view kRemedy = "remove it, and it is made anew at the next start";
  Result<std::optional<std::string>> text = ReadFileIfExists(path);
  if (!text.ok()) return text.status();
  if (!text->has_value()) return std::optional<KeyPair>();
  const std::size_t split = (*text)->find(kKeyMarker);
  if (split == std::string::npos) return Damaged(path, "it holds no private key", kRemedy);
  KeyPair pair{(*text)->substr(0, split), (*text)->substr(split)};
  if (const Status status = CheckKeyPair(pair); !status.ok()) {
    return Damaged(path, status.message(), kRemedy);
  }
  return std::optional<KeyPair>(std::move(pair));
}

// Whether the certificate still serves: of this CA, for a while yet, and for these names.
bool IsCurrent(const KeyPair& pair, const KeyPair& ca, std::vector<std::string> names, Time now) {
  const Result<CertificateInfo> info = ReadCertificate(pair.certificate_pem);
  if (!info.ok() || !IsSignedBy(pair, ca)) return false;
  std::vector<std::string> has = info->names;
  std::sort(has.begin(), has.end());
  std::sort(names.begin(), names.end());
  return has == names && info->not_before <= now && now + kRenewBefore < info->not_after;
}

using IssueFunction = std::function<Result<KeyPair>(const KeyPair& ca, Time now)>;

Result<KeyPair> LoadOrIssue(const std::string& path, const KeyPair& ca,
                            const std::vector<std::string>& names, Time now,
                            const IssueFunction& issue) {
  Result<std::optional<KeyPair>> loaded = LoadPair(path);
  if (!loaded.ok()) return loaded.status();
  if (loaded->has_value() && IsCurrent(**loaded, ca, names, now)) return **std::move(loaded);
  Result<KeyPair> issued = issue(ca, now);
  if (!issued.ok()) return issued;
  ASYNCOPS_RETURN_IF_ERROR(
      WriteFileAtomically(path, issued->certificate_pem + issued->key_pem, kKeyMode));
  return issued;
}

Result<KeyPair> IssueAdmin(const KeyPair& ca, Time now) {
  return IssueClientCertificate(ca, {"asyncops-admin", {"system:masters"}}, now);
}

Status WriteWhereDifferent(const std::string& path, const std::string& text) {
  Result<std::optional<std::string>> old = ReadFileIfExists(path);
  if (!old.ok()) return old.status();
  if (old->has_value() && **old == text) return Status::Ok();
  return WriteFileAtomically(path, text, kKeyMode);
}

// The text that a certificate gives back for an address differs from what an operator may write
// ("::0:1").
std::vector<std::string> CanonicalNames(const std::vector<std::string>& names) {
  std::vector<std::string> canonical;
  for (const std::string& name : names) {
    const std::string text = CanonicalName(name);
    if (std::find(canonical.begin(), canonical.end(), text) == canonical.end()) {
      canonical.push_back(text);
    }
  }
  return canonical;
}

}  // namespace

Result<StandaloneIdentity> LoadStandaloneIdentity(const StandaloneOptions& options,
                                                  const Clock& clock) {
  const Time now = clock.Now();
  const std::string directory = options.data_dir + "/pki";
  ASYNCOPS_RETURN_IF_ERROR(MakePrivateDirectory(directory));
  Result<KeyPair> ca = LoadOrMakeCa(directory, now);
  if (!ca.ok()) return ca.status();
  const std::vector<std::string> names = CanonicalNames(options.names);
  const auto issue_serving = [&names](const KeyPair& by, Time at) {
    return IssueServingCertificate(by, names, at);
  };
  Result<KeyPair> serving = LoadOrIssue(directory + "/serving.pem", *ca, names, now, issue_serving);
  if (!serving.ok()) return serving.status();
  Result<KeyPair> admin = LoadOrIssue(directory + "/admin.pem", *ca, {}, now, IssueAdmin);
  if (!admin.ok()) return admin.status();
  StandaloneIdentity identity{ca->certificate_pem, *std::move(serving),
                              options.data_dir + "/kubeconfig"};
  ASYNCOPS_RETURN_IF_ERROR(WriteWhereDifferent(
      identity.kubeconfig_path, EncodeKubeconfig(options.server_url, ca->certificate_pem, *admin)));
  return identity;
}

}  // namespace asyncops::tls
