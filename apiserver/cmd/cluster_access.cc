#include "apiserver/cmd/cluster_access.h"

#include <utility>
#include <vector>

#include "apiserver/auth/subject_access_review.h"
#include "apiserver/auth/token_review.h"
#include "apiserver/tls/serving_files.h"

namespace asyncops {
namespace {

// What the flags say; each file is there.
Result<apiserver::DelegatedAuthenticationConfig> ConfigOf(const ServeOptions& options) {
  apiserver::DelegatedAuthenticationConfig config;
  if (!options.client_ca_file.empty()) {
    Result<std::string> bundle = tls::LoadCaBundle(options.client_ca_file);
    if (!bundle.ok()) return bundle.status();
    config.client_ca_pem = *std::move(bundle);
  }
  Result<std::string> bundle = tls::LoadCaBundle(options.requestheader_client_ca_file);
  if (!bundle.ok()) return bundle.status();
  config.request_header.ca_pem = *std::move(bundle);
  config.request_header.allowed_names = options.requestheader_allowed_names;
  config.request_header.username_headers = options.requestheader_username_headers;
  config.request_header.group_headers = options.requestheader_group_headers;
  config.request_header.extra_header_prefixes = options.requestheader_extra_headers_prefix;
  config.request_header.uid_headers = options.requestheader_uid_headers;
  return config;
}

}  // namespace

Status ClusterAccess::Prepare(const ServeOptions& options, kube::ApiClient& front,
                              kube::ApiClient& work) {
  ASYNCOPS_RETURN_IF_ERROR(GuardReviews(options.webhook_client_ca_file));
  reviews_ = std::make_unique<apiserver::ReviewQueue>(front, clock_);
  authorizer_ = std::make_unique<apiserver::SubjectAccessReviewAuthorizer>(*reviews_, clock_);
  auto delegated = std::make_unique<apiserver::DelegatedAuthenticator>(
      clock_, [this](const std::string& pem) { listener_.Ask(pem); });
  delegated_ = delegated.get();
  std::vector<std::unique_ptr<apiserver::Authenticator>> authenticators;
  authenticators.push_back(std::move(delegated));
  authenticators.push_back(
      std::make_unique<apiserver::TokenReviewAuthenticator>(*reviews_, clock_));
  authenticator_ = std::make_unique<apiserver::UnionAuthenticator>(std::move(authenticators));
  if (!options.requestheader_client_ca_file.empty()) return TakeFlags(options);
  config_watch_ =
      std::make_unique<apiserver::DelegatedConfigWatch>(*delegated_, work, clock_, ids_);
  return Status::Ok();
}

Status ClusterAccess::GuardReviews(const std::string& ca_file) {
  std::string bundle;
  if (!ca_file.empty()) {
    Result<std::string> read = tls::LoadCaBundle(ca_file);
    if (!read.ok()) return read.status();
    bundle = *std::move(read);
  }
  listener_.AskAlways(bundle);
  Result<std::unique_ptr<apiserver::ReviewGuard>> guard =
      apiserver::ReviewGuard::Make(bundle, clock_);
  if (!guard.ok()) return guard.status();
  review_guard_ = *std::move(guard);
  return Status::Ok();
}

Status ClusterAccess::TakeFlags(const ServeOptions& options) {
  const Result<apiserver::DelegatedAuthenticationConfig> config = ConfigOf(options);
  return config.ok() ? delegated_->Set(*config) : config.status();
}

Status ClusterAccess::Known() const {
  if (config_watch_ == nullptr || known_) return Status::Ok();
  Status health = config_watch_->health();
  if (health.ok()) known_ = true;
  return health;
}

void ClusterAccess::Stop() {
  if (reviews_ != nullptr) reviews_->Stop();
}

}  // namespace asyncops
