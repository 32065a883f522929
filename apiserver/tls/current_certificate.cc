#include "apiserver/tls/current_certificate.h"

#include <utility>

#include "base/log.h"
#include "base/rfc3339.h"

namespace asyncops::tls {
namespace {

// A certificate that does not read counts as ended.
Time EndOf(const KeyPair& pair) {
  const Result<CertificateInfo> info = ReadCertificate(pair.certificate_pem);
  return info.ok() ? info->not_after : Time();
}

}  // namespace

Status CheckServable(const KeyPair& pair, Time now) {
  ASYNCOPS_RETURN_IF_ERROR(CheckKeyPair(pair));
  const Result<CertificateInfo> info = ReadCertificate(pair.certificate_pem);
  if (!info.ok()) return info.status();
  if (info->is_ca) return BadRequest("the first certificate is a CA's, not a server's");
  if (now < info->not_before)
    return BadRequest("the certificate is not valid before " + FormatTime(info->not_before));
  if (now >= info->not_after)
    return BadRequest("the certificate ended at " + FormatTime(info->not_after));
  return Status::Ok();
}

CurrentCertificate::CurrentCertificate(KeyPair pair, Present present, const Clock& clock)
    : present_(std::move(present)), clock_(clock), pair_(std::move(pair)) {
  not_after_ = EndOf(pair_);
}

Status CurrentCertificate::Replace(const KeyPair& pair) {
  {
    const MutexLock lock(mutex_);
    if (pair == pair_) return Status::Ok();
  }
  ASYNCOPS_RETURN_IF_ERROR(CheckServable(pair, clock_.Now()));
  ASYNCOPS_RETURN_IF_ERROR(present_(pair));
  const Time end = EndOf(pair);
  {
    const MutexLock lock(mutex_);
    pair_ = pair;
    not_after_ = end;
  }
  Log(LogLevel::kInfo, "serving another certificate", {{"until", FormatTime(end)}});
  return Status::Ok();
}

KeyPair CurrentCertificate::pair() const {
  const MutexLock lock(mutex_);
  return pair_;
}

Time CurrentCertificate::not_after() const {
  const MutexLock lock(mutex_);
  return not_after_;
}

double CurrentCertificate::ExpiryTimestamp() const {
  return std::chrono::duration<double>(not_after().time_since_epoch()).count();
}

Status CurrentCertificate::Health() const {
  const Time end = not_after();
  if (clock_.Now() < end) return Status::Ok();
  return {Reason::kServiceUnavailable, "the serving certificate ended at " + FormatTime(end)};
}

std::string CurrentCertificate::Warning() const {
  const Duration left = not_after() - clock_.Now();
  if (left >= kWarnBefore) return "";
  if (left <= Duration::zero()) return Health().message();
  const auto hours = std::chrono::floor<std::chrono::hours>(left).count();
  const std::string text =
      hours >= 48 ? std::to_string(hours / 24) + " days" : std::to_string(hours) + " hours";
  return "the serving certificate ends in " + text;
}

}  // namespace asyncops::tls
