#include "apiserver/tls/self_signed.h"

#include <utility>

#include "base/json.h"
#include "base/log.h"

namespace asyncops::tls {
namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
constexpr std::string_view kUs = "asyncops";
// Each loses to a write of another process; more in a row mean that something else is wrong.
constexpr int kTries = 5;

std::string SecretsOf(const std::string& namespace_name) {
  return "/api/v1/namespaces/" + namespace_name + "/secrets";
}

std::vector<std::string> NamesOf(const SelfSignedOptions& options) {
  const std::string in_namespace = options.service + "." + options.namespace_name;
  std::vector<std::string> names = {in_namespace + ".svc", in_namespace, options.service};
  names.insert(names.end(), options.more_names.begin(), options.more_names.end());
  return names;
}

bool IsOurs(const Json& secret) {
  const Json* labels = secret.FindPath({"metadata", "labels"});
  return labels != nullptr && labels->StringAt({kManagedBy}) == kUs;
}

bool IsLostRace(const Status& status) {
  return status.reason() == Reason::kConflict || status.reason() == Reason::kAlreadyExists ||
         status.reason() == Reason::kNotFound;
}

}  // namespace

Result<KeyPair> MakePlaceholderCertificate(const SelfSignedOptions& options, Time now) {
  Result<SelfSignedSet> set = MakeSelfSignedSet({.names = NamesOf(options), .now = now});
  if (!set.ok()) return set.status();
  return std::move(set->serving);
}

SelfSignedCertificates::SelfSignedCertificates(SelfSignedOptions options, kube::ApiClient& client,
                                               const Clock& clock, Present present)
    : options_(std::move(options)),
      client_(client),
      clock_(clock),
      present_(std::move(present)),
      target_(SecretsOf(options_.namespace_name) + "/" + options_.secret),
      health_(Reason::kServiceUnavailable, "the serving certificate was not made yet") {}

Status SelfSignedCertificates::Look() {
  Status status = LookOnce();
  const MutexLock lock(mutex_);
  // Said once, not each time that it is tried again.
  if (!status.ok() && status != health_)
    Log(LogLevel::kError, "the serving certificate is not kept as it should be",
        {{"error", status.ToString()}});
  health_ = status;
  return status;
}

Status SelfSignedCertificates::Health() const {
  const MutexLock lock(mutex_);
  return health_;
}

Status SelfSignedCertificates::LookOnce() {
  const Result<SelfSignedSet> set = Agree();
  if (!set.ok()) return set.status();
  const std::string bundle = set->Bundle();
  Status injected = InjectCaBundle(client_, options_.targets, bundle);
  trusted_bundle_ = injected.ok() ? bundle : std::string();
  ASYNCOPS_RETURN_IF_ERROR(present_(set->serving));
  return injected;
}

Result<SelfSignedSet> SelfSignedCertificates::Agree() {
  Result<SelfSignedSet> set = AgreeOnce();
  for (int i = 1; i < kTries && !set.ok() && IsLostRace(set.status()); ++i) set = AgreeOnce();
  if (!set.ok())
    return set.status().WithContext("Secret " + options_.namespace_name + "/" + options_.secret);
  return set;
}

Result<SelfSignedSet> SelfSignedCertificates::AgreeOnce() {
  SelfSignedPlan plan{.names = NamesOf(options_), .now = clock_.Now()};
  Result<Json> secret = client_.Call({.target = target_});
  if (secret.status().reason() == Reason::kNotFound) return Create(plan);
  if (!secret.ok()) return secret.status();
  const Json* found = secret->Find("data");
  const Json data = found == nullptr ? Json() : *found;
  const Result<SelfSignedSet> set = DecodeSelfSignedData(data);
  if (!set.ok()) {
    if (!IsOurs(*secret)) {
      return Status(Reason::kForbidden,
                    "it is not one that asyncops made (" + set.status().message() +
                        "); delete it, or name another by --self-signed-secret");
    }
    Log(LogLevel::kWarning, "made the certificates anew, as their Secret did not read",
        {{"secret", options_.secret}, {"error", set.status().message()}});
    const Result<SelfSignedSet> fresh = MakeSelfSignedSet(plan);
    return fresh.ok() ? Replace(*std::move(secret), *fresh) : fresh;
  }
  plan.bundle_is_trusted = set->Bundle() == trusted_bundle_;
  Result<SelfSignedSet> next = RenewSelfSignedSet(*set, plan);
  if (!next.ok() || Json(EncodeSelfSignedData(*next)) == data) return next;
  return Replace(*std::move(secret), *next);
}

Result<SelfSignedSet> SelfSignedCertificates::Create(const SelfSignedPlan& plan) {
  Result<SelfSignedSet> set = MakeSelfSignedSet(plan);
  if (!set.ok()) return set;
  const Json secret =
      Json::Of({{"apiVersion", "v1"},
                {"kind", "Secret"},
                {"metadata", Json::Of({{"name", options_.secret},
                                       {"namespace", options_.namespace_name},
                                       {"labels", Json::Of({{"app.kubernetes.io/name", kUs},
                                                            {std::string(kManagedBy), kUs}})}})},
                {"type", "kubernetes.io/tls"},
                {"data", EncodeSelfSignedData(*set)}});
  const Result<Json> created =
      client_.Call({.method = "POST",
                    .target = SecretsOf(options_.namespace_name) + "?fieldManager=asyncops",
                    .body = EncodeJson(secret)});
  if (!created.ok()) return created.status();
  return set;
}

Result<SelfSignedSet> SelfSignedCertificates::Replace(Json secret, const SelfSignedSet& set) {
  secret.Set("data", EncodeSelfSignedData(set));
  const Result<Json> written = client_.Call(
      {.method = "PUT", .target = target_ + "?fieldManager=asyncops", .body = EncodeJson(secret)});
  if (!written.ok()) return written.status();
  return set;
}

std::unique_ptr<Periodic> StartSelfSigned(SelfSignedCertificates& certificates) {
  return std::make_unique<Periodic>([&certificates] {
    const Status status = certificates.Look();
    return status.ok() ? std::chrono::milliseconds(kSelfSignedLook)
                       : std::chrono::milliseconds(kSelfSignedRetry);
  });
}

}  // namespace asyncops::tls
