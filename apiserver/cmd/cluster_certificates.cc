#include "apiserver/cmd/cluster_certificates.h"

#include <utility>

#include "apiserver/tls/file_watcher.h"
#include "apiserver/tls/serving_files.h"

namespace asyncops {
namespace {

http::ServingCertificate ServingOf(const tls::KeyPair& pair) {
  return {.certificate_pem = pair.certificate_pem, .key_pem = pair.key_pem};
}

tls::SelfSignedOptions SelfSignedOf(const ServeOptions& options,
                                    const std::string& namespace_name) {
  tls::SelfSignedOptions self_signed;
  self_signed.namespace_name = namespace_name;
  self_signed.service = options.service_name;
  self_signed.secret = options.self_signed_secret;
  // Of whoever stands on the same machine.
  self_signed.more_names = {"localhost", "127.0.0.1", "::1"};
  return self_signed;
}

}  // namespace

Status ClusterCertificates::Prepare(const std::string& namespace_name, kube::ApiClient& client) {
  const tls::SelfSignedOptions self_signed = SelfSignedOf(options_, namespace_name);
  Result<tls::KeyPair> pair =
      options_.self_signed
          ? tls::MakePlaceholderCertificate(self_signed, clock_.Now())
          : tls::LoadServingFiles({options_.tls_cert_file, options_.tls_private_key_file});
  if (!pair.ok()) return pair.status();
  if (const Status servable = tls::CheckServable(*pair, clock_.Now()); !servable.ok())
    return servable.WithContext(options_.tls_cert_file);
  first_ = ServingOf(*pair);
  current_ = std::make_unique<tls::CurrentCertificate>(
      *std::move(pair),
      [this](const tls::KeyPair& renewed) { return listener_.Present(ServingOf(renewed)); },
      clock_);
  if (!options_.self_signed) return Status::Ok();
  self_signed_ = std::make_unique<tls::SelfSignedCertificates>(
      self_signed, client, clock_, [this](const tls::KeyPair& renewed) {
        ASYNCOPS_RETURN_IF_ERROR(current_->Replace(renewed));
        presented_ = true;
        return Status::Ok();
      });
  return Status::Ok();
}

void ClusterCertificates::Start() {
  watcher_ = self_signed_ != nullptr
                 ? tls::StartSelfSigned(*self_signed_)
                 : tls::StartFileWatcher({tls::WatchServingFiles(
                       {options_.tls_cert_file, options_.tls_private_key_file}, *current_)});
}

Status ClusterCertificates::Health() const {
  if (self_signed_ != nullptr && !presented_) return self_signed_->Health();
  return current_->Health();
}

apiserver::GaugeSource ClusterCertificates::ExpiryGauge() const {
  return {std::string(tls::kCertificateExpiryMetric),
          "When the serving certificate ends, in seconds since 1970.",
          [this] { return current_->ExpiryTimestamp(); }};
}

}  // namespace asyncops
