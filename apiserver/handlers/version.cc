#include "apiserver/handlers/version.h"

#include "apiserver/handlers/respond.h"
#include "base/json.h"

namespace asyncops::apiserver {

VersionHandler::VersionHandler(std::string product_version, std::vector<std::string> paths) {
  const std::string git_version = "v" + std::string(kKubernetesMajor) + "." +
                                  std::string(kKubernetesMinor) + ".0+asyncops-" + product_version;
  version_ = EncodePrettyJson(Json::Of({{"major", kKubernetesMajor},
                                        {"minor", kKubernetesMinor},
                                        {"gitVersion", git_version},
                                        {"gitCommit", ""},
                                        {"gitTreeState", "clean"},
                                        {"buildDate", "1970-01-01T00:00:00Z"},
                                        {"goVersion", "none"},
                                        {"compiler", "g++"},
                                        {"platform", "linux/amd64"}}));
  index_ = EncodePrettyJson(Json::Of({{"paths", JsonArray(paths.begin(), paths.end())}}));
}

std::optional<http::Response> VersionHandler::Serve(const http::Request& request) {
  if (request.path == "/version" || request.path == "/version/") return JsonResponse(200, version_);
  if (request.path == "/") return JsonResponse(200, index_);
  return std::nullopt;
}

}  // namespace asyncops::apiserver
