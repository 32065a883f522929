// /version and the index of paths.
#ifndef ASYNCOPS_APISERVER_HANDLERS_VERSION_H_
#define ASYNCOPS_APISERVER_HANDLERS_VERSION_H_

#include <string>
#include <vector>

#include "apiserver/handlers/path_handler.h"

namespace asyncops::apiserver {

// The Kubernetes release whose API this server speaks: kubectl judges version skew by it.
inline constexpr std::string_view kKubernetesMajor = "1";
inline constexpr std::string_view kKubernetesMinor = "33";

class VersionHandler final : public PathHandler {
 public:
  // `product_version` is ours, "0.1.0"; `paths` is what `/` lists.
  VersionHandler(std::string product_version, std::vector<std::string> paths);
  std::optional<http::Response> Serve(const http::Request& request) override;

 private:
  std::string version_;
  std::string index_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_VERSION_H_
