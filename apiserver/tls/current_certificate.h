// The certificate that the server presents, whoever renews it, and when that ends.
#ifndef ASYNCOPS_APISERVER_TLS_CURRENT_CERTIFICATE_H_
#define ASYNCOPS_APISERVER_TLS_CURRENT_CERTIFICATE_H_

#include <chrono>
#include <functional>
#include <string>

#include "apiserver/tls/certificate.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace asyncops::tls {

// Renewals are long over by then.
inline constexpr std::chrono::hours kWarnBefore{24 * 7};

// The gauge that ExpiryTimestamp is for; an alert reads it.
inline constexpr const char* kCertificateExpiryMetric =
    "asyncops_serving_certificate_expiry_timestamp_seconds";

// OK where the pair can be presented at this time. BadRequest says that it does not belong
// together, is not yet valid, has ended, or is a CA.
Status CheckServable(const KeyPair& pair, Time now);

// Safe for use from several threads.
class CurrentCertificate {
 public:
  using Present = std::function<Status(const KeyPair&)>;

  // `pair` is presented already; `present` makes the server present another, on the thread that
  // calls Replace. The clock outlives it.
  CurrentCertificate(KeyPair pair, Present present, const Clock& clock);

  // Presents the pair from now on, and does nothing where it does so already. Where the pair is not
  // servable, or `present` fails, says so, and the one before stays.
  Status Replace(const KeyPair& pair) ASYNCOPS_EXCLUDES(mutex_);

  KeyPair pair() const ASYNCOPS_EXCLUDES(mutex_);
  Time not_after() const ASYNCOPS_EXCLUDES(mutex_);
  // For a gauge: not_after in seconds since 1970.
  double ExpiryTimestamp() const;
  // ServiceUnavailable once the certificate has ended.
  Status Health() const;
  // "the serving certificate ends in 6 days" within kWarnBefore of its end; "" before.
  std::string Warning() const;

 private:
  const Present present_;
  const Clock& clock_;
  mutable Mutex mutex_;
  KeyPair pair_ ASYNCOPS_GUARDED_BY(mutex_);
  Time not_after_ ASYNCOPS_GUARDED_BY(mutex_){};
};

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_CURRENT_CERTIFICATE_H_
