#include <future>
#include <string_view>
#include <utility>

#include "api/subresources.h"
#include "apiserver/auth/client_certificate.h"
#include "apiserver/auth/standalone_authorizer.h"
#include "apiserver/auth/token_file.h"
#include "apiserver/cmd/environment.h"
#include "apiserver/cmd/listen_url.h"
#include "apiserver/tls/serving_files.h"
#include "apiserver/tls/standalone_identity.h"
#include "base/json.h"
#include "base/read_file.h"
#include "reconciler/local_resource_client.h"

namespace asyncops {
namespace {

class StandaloneEnvironment final : public Environment {
 public:
  StandaloneEnvironment(const ServeOptions& options, const Clock& clock, IdGenerator& ids)
      : options_(options), clock_(clock), ids_(ids) {}

  Status Prepare() override {
    ASYNCOPS_RETURN_IF_ERROR(LoadIdentity(options_.secure_port));
    return MakeAuthenticator();
  }
  const apiserver::Authenticator& authenticator() const override { return *authenticator_; }
  const apiserver::Authorizer& authorizer() const override { return authorizer_; }
  std::vector<ResourceInfo> resources() const override { return ServedResources(); }
  const apiserver::ClusterObjects* cluster_objects() const override { return nullptr; }
  std::vector<apiserver::HealthCheck> health_checks() const override { return {}; }
  std::vector<apiserver::GaugeSource> gauges() const override { return {}; }
  std::function<Status(const http::Request&)> admit_review() const override { return nullptr; }
  const http::ServingCertificate& serving_certificate() const override { return serving_; }
  const std::string& client_ca_pem() const override { return client_ca_pem_; }
  Status Listening(http::Server& server) override {
    // Only now is it known which port was free: the kubeconfig names it.
    return options_.secure_port == 0 ? LoadIdentity(server.port()) : Status::Ok();
  }
  const std::string& url() const override { return url_; }
  const std::string& callback_base() const override { return url_; }
  std::string greeting() const override {
    const std::string& kubeconfig = identity_.kubeconfig_path;
    return "kubeconfig: " + kubeconfig + "\ntry: kubectl --kubeconfig " + kubeconfig +
           " get asyncresources,asyncoperations\n";
  }
  bool starts_in_background() const override { return false; }
  Status WaitForObjects(apiserver::Registry& registry, const std::stop_token& stop) override;
  std::unique_ptr<reconciler::ResourceClient> MakeResources(storage::Store& store) override {
    return reconciler::MakeLocalResourceClient(store, clock_, ids_);
  }
  void Complete(reconciler::ControllerOptions* /*options*/) override {}
  bool has_own_controllers() const override { return true; }
  void Stop() override {}

 private:
  Status LoadIdentity(int port);
  Status MakeAuthenticator();

  const ServeOptions& options_;
  const Clock& clock_;
  IdGenerator& ids_;

  std::string url_;
  tls::StandaloneIdentity identity_;
  std::string client_ca_pem_;  // our own CA, then those of --client-ca-file
  http::ServingCertificate serving_;
  std::unique_ptr<apiserver::Authenticator> authenticator_;
  const apiserver::StandaloneAuthorizer authorizer_;
};

Status StandaloneEnvironment::LoadIdentity(int port) {
  url_ = ListenUrl(options_, port);
  tls::StandaloneOptions options;
  options.data_dir = options_.data_dir;
  options.server_url = url_;
  options.names = {"127.0.0.1", "localhost", "::1"};
  const bool any = options_.bind_address == "0.0.0.0" || options_.bind_address == "::";
  if (!any && options_.bind_address != "127.0.0.1" && options_.bind_address != "::1")
    options.names.push_back(options_.bind_address);
  Result<tls::StandaloneIdentity> identity = tls::LoadStandaloneIdentity(options, clock_);
  if (!identity.ok()) return identity.status();
  identity_ = std::move(*identity);
  tls::KeyPair serving = identity_.serving;
  if (!options_.tls_cert_file.empty()) {
    Result<tls::KeyPair> given =
        tls::LoadServingFiles({options_.tls_cert_file, options_.tls_private_key_file});
    if (!given.ok()) return given.status();
    serving = std::move(*given);
  }
  serving_ = {.certificate_pem = serving.certificate_pem, .key_pem = serving.key_pem};
  return Status::Ok();
}

Status StandaloneEnvironment::MakeAuthenticator() {
  std::vector<std::string> bundles = {identity_.ca_certificate_pem};
  if (!options_.client_ca_file.empty()) {
    Result<std::string> bundle = tls::LoadCaBundle(options_.client_ca_file);
    if (!bundle.ok()) return bundle.status();
    bundles.push_back(std::move(*bundle));
  }
  std::vector<std::unique_ptr<tls::CertificateVerifier>> verifiers;
  client_ca_pem_.clear();
  for (const std::string& bundle : bundles) {
    // The listener names them all: some clients show no certificate of a CA that is not named.
    client_ca_pem_ += bundle + "\n";
    Result<std::unique_ptr<tls::CertificateVerifier>> verifier =
        tls::CertificateVerifier::Make(bundle);
    if (!verifier.ok()) return verifier.status();
    verifiers.push_back(std::move(*verifier));
  }
  std::vector<std::unique_ptr<apiserver::Authenticator>> authenticators;
  authenticators.push_back(
      std::make_unique<apiserver::ClientCertificateAuthenticator>(std::move(verifiers), clock_));
  if (!options_.token_auth_file.empty()) {
    const Result<std::string> text = ReadFile(options_.token_auth_file, "the --token-auth-file");
    if (!text.ok()) return text.status();
    Result<std::unique_ptr<apiserver::Authenticator>> tokens =
        apiserver::TokenAuthenticator::Parse(*text);
    if (!tokens.ok()) return tokens.status().WithContext(options_.token_auth_file);
    authenticators.push_back(std::move(*tokens));
  }
  authenticator_ = std::make_unique<apiserver::UnionAuthenticator>(std::move(authenticators));
  return Status::Ok();
}

// The namespace "default" is all that is waited for.
Status StandaloneEnvironment::WaitForObjects(apiserver::Registry& registry,
                                             const std::stop_token& /*stop*/) {
  const Json body = Json::Of(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Json::Of({{"name", "default"}})}});
  std::promise<Status> created;
  registry.Create(*FindResource("", "namespaces"), "", {body, {}}, {.field_manager = "asyncops"},
                  [&created](const Result<apiserver::WriteResult>& result) {
                    created.set_value(result.status());
                  });
  const Status status = created.get_future().get();
  return status.reason() == Reason::kAlreadyExists ? Status::Ok() : status;
}

}  // namespace

std::unique_ptr<Environment> MakeStandaloneEnvironment(const ServeOptions& options,
                                                       const Clock& clock, IdGenerator& ids) {
  return std::make_unique<StandaloneEnvironment>(options, clock, ids);
}

}  // namespace asyncops
