#include "apiserver/tls/self_signed_set.h"

#include <algorithm>
#include <utility>

#include "apiserver/tls/ca.h"
#include "base/encoding.h"
#include "base/rfc3339.h"

namespace asyncops::tls {
namespace {

constexpr std::string_view kBundle = "ca.crt";
constexpr std::string_view kServing = "tls";
constexpr std::string_view kSigning = "signing-ca";
constexpr std::string_view kSuccessor = "successor-ca";
constexpr std::string_view kRetired = "retired-ca.crt";
constexpr std::string_view kRetiredUntil = "retired-ca-until";

bool IsValid(const CertificateInfo& info, Time now) {
  return now >= info.not_before && now < info.not_after;
}

bool IsValidAt(const KeyPair& pair, Time now) {
  const Result<CertificateInfo> info = ReadCertificate(pair.certificate_pem);
  return info.ok() && IsValid(*info, now);
}

bool IsPastTwoThirds(const KeyPair& pair, Time now) {
  const Result<CertificateInfo> info = ReadCertificate(pair.certificate_pem);
  return !info.ok() || now - info->not_before >= (info->not_after - info->not_before) * 2 / 3;
}

bool IsPublished(const KeyPair& successor, Time now) {
  const Result<CertificateInfo> info = ReadCertificate(successor.certificate_pem);
  return info.ok() && now - info->not_before >= kBackdate + kPublishedBefore;
}

// Names differ between CAs, so that people can tell them apart; verifiers go by the key's ID.
Result<KeyPair> MakeCa(Time now) {
  return MakeCertificateAuthority("asyncops-ca " + FormatTime(now), now);
}

bool HasNames(const CertificateInfo& info, const std::vector<std::string>& names) {
  return std::equal(
      info.names.begin(), info.names.end(), names.begin(), names.end(),
      [](const std::string& has, const std::string& wants) { return has == CanonicalName(wants); });
}

bool IsServingDue(const SelfSignedSet& set, const SelfSignedPlan& plan) {
  const Result<CertificateInfo> info = ReadCertificate(set.serving.certificate_pem);
  return !info.ok() || !IsValid(*info, plan.now) || IsPastTwoThirds(set.serving, plan.now) ||
         !HasNames(*info, plan.names) || !IsSignedBy(set.serving, set.signing);
}

void Retire(SelfSignedSet* set) {
  const Result<CertificateInfo> serving = ReadCertificate(set->serving.certificate_pem);
  const Time until = serving.ok() ? serving->not_after : Time();
  set->retired = RetiredCa{set->signing.certificate_pem, until};
  set->signing = *std::exchange(set->successor, std::nullopt);
}

void SetPair(std::string_view name, const KeyPair& pair, JsonObject* data) {
  data->Set(std::string(name) + ".crt", Base64Encode(pair.certificate_pem));
  data->Set(std::string(name) + ".key", Base64Encode(pair.key_pem));
}

Result<std::string> Member(const Json& data, const std::string& name) {
  const std::optional<std::string> bytes = Base64Decode(data.StringAt({name}));
  if (!bytes || bytes->empty()) return BadRequest(name + " is missing, empty or no base64");
  return *bytes;
}

Result<KeyPair> Pair(const Json& data, std::string_view name) {
  const Result<std::string> certificate = Member(data, std::string(name) + ".crt");
  if (!certificate.ok()) return certificate.status();
  const Result<std::string> key = Member(data, std::string(name) + ".key");
  if (!key.ok()) return key.status();
  KeyPair pair{*certificate, *key};
  if (const Status status = CheckKeyPair(pair); !status.ok()) return status.WithContext(name);
  return pair;
}

Result<RetiredCa> Retired(const Json& data) {
  const Result<std::string> certificate = Member(data, std::string(kRetired));
  if (!certificate.ok()) return certificate.status();
  const Result<std::string> until = Member(data, std::string(kRetiredUntil));
  if (!until.ok()) return until.status();
  const std::optional<Time> time = ParseTime(*until);
  if (!time) return BadRequest(std::string(kRetiredUntil) + " is no time");
  if (const auto info = ReadCertificate(*certificate); !info.ok())
    return info.status().WithContext(kRetired);
  return RetiredCa{*certificate, *time};
}

}  // namespace

std::string SelfSignedSet::Bundle() const {
  std::string bundle = signing.certificate_pem;
  if (successor) bundle += successor->certificate_pem;
  if (retired) bundle += retired->certificate_pem;
  return bundle;
}

Result<SelfSignedSet> MakeSelfSignedSet(const SelfSignedPlan& plan) {
  Result<KeyPair> ca = MakeCa(plan.now);
  if (!ca.ok()) return ca.status();
  Result<KeyPair> serving = IssueServingCertificate(*ca, plan.names, plan.now);
  if (!serving.ok()) return serving.status();
  return SelfSignedSet{.signing = *std::move(ca),
                       .successor = std::nullopt,
                       .retired = std::nullopt,
                       .serving = *std::move(serving)};
}

Result<SelfSignedSet> RenewSelfSignedSet(const SelfSignedSet& set, const SelfSignedPlan& plan) {
  SelfSignedSet next = set;
  if (next.successor && !IsValidAt(*next.successor, plan.now)) next.successor.reset();
  if (next.retired && plan.now >= next.retired->until) next.retired.reset();
  if (!IsValidAt(next.signing, plan.now)) {
    if (!next.successor) return MakeSelfSignedSet(plan);
    // What was published but could not be seen to be trusted is the best that is left.
    next.signing = *std::exchange(next.successor, std::nullopt);
  }
  if (next.successor) {
    if (plan.bundle_is_trusted && !next.retired && IsPublished(*next.successor, plan.now))
      Retire(&next);
  } else if (IsPastTwoThirds(next.signing, plan.now)) {
    Result<KeyPair> successor = MakeCa(plan.now);
    if (!successor.ok()) return successor.status();
    next.successor = *std::move(successor);
  }
  if (IsServingDue(next, plan)) {
    Result<KeyPair> serving = IssueServingCertificate(next.signing, plan.names, plan.now);
    if (!serving.ok()) return serving.status();
    next.serving = *std::move(serving);
  }
  return next;
}

JsonObject EncodeSelfSignedData(const SelfSignedSet& set) {
  JsonObject data;
  SetPair(kServing, set.serving, &data);
  SetPair(kSigning, set.signing, &data);
  data.Set(kBundle, Base64Encode(set.Bundle()));
  if (set.successor) SetPair(kSuccessor, *set.successor, &data);
  if (set.retired) {
    data.Set(kRetired, Base64Encode(set.retired->certificate_pem));
    data.Set(kRetiredUntil, Base64Encode(FormatTime(set.retired->until)));
  }
  return data;
}

Result<SelfSignedSet> DecodeSelfSignedData(const Json& data) {
  Result<KeyPair> signing = Pair(data, kSigning);
  if (!signing.ok()) return signing.status();
  Result<KeyPair> serving = Pair(data, kServing);
  if (!serving.ok()) return serving.status();
  SelfSignedSet set{.signing = *std::move(signing),
                    .successor = std::nullopt,
                    .retired = std::nullopt,
                    .serving = *std::move(serving)};
  if (data.Find(std::string(kSuccessor) + ".crt") != nullptr) {
    Result<KeyPair> successor = Pair(data, kSuccessor);
    if (!successor.ok()) return successor.status();
    set.successor = *std::move(successor);
  }
  if (data.Find(kRetired) != nullptr) {
    Result<RetiredCa> retired = Retired(data);
    if (!retired.ok()) return retired.status();
    set.retired = *std::move(retired);
  }
  return set;
}

}  // namespace asyncops::tls
