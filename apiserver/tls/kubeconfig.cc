#include "apiserver/tls/kubeconfig.h"

#include "base/encoding.h"
#include "base/json.h"
#include "base/yaml.h"

namespace asyncops::tls {
namespace {

constexpr const char* kName = "asyncops";
constexpr const char* kUser = "asyncops-admin";

}  // namespace

std::string EncodeKubeconfig(const std::string& server_url, const std::string& ca_certificate_pem,
                             const KeyPair& client) {
  Json cluster = Json::Of(
      {{"name", kName},
       {"cluster", Json::Of({{"server", server_url},
                             {"certificate-authority-data", Base64Encode(ca_certificate_pem)}})}});
  Json user = Json::Of(
      {{"name", kUser},
       {"user", Json::Of({{"client-certificate-data", Base64Encode(client.certificate_pem)},
                          {"client-key-data", Base64Encode(client.key_pem)}})}});
  Json context = Json::Of(
      {{"name", kName},
       {"context", Json::Of({{"cluster", kName}, {"user", kUser}, {"namespace", "default"}})}});
  return EncodeYaml(Json::Of({{"apiVersion", "v1"},
                              {"kind", "Config"},
                              {"clusters", JsonArray{std::move(cluster)}},
                              {"users", JsonArray{std::move(user)}},
                              {"contexts", JsonArray{std::move(context)}},
                              {"current-context", kName},
                              {"preferences", Json::Of({})}}));
}

}  // namespace asyncops::tls
