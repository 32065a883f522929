// Discovery: /api, /apis, /apis/GROUP and /apis/GROUP/VERSION, legacy and aggregated
// (apidiscovery.k8s.io v2 and v2beta1).
#ifndef ASYNCOPS_APISERVER_HANDLERS_DISCOVERY_H_
#define ASYNCOPS_APISERVER_HANDLERS_DISCOVERY_H_

#include <map>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "apiserver/handlers/document.h"
#include "apiserver/handlers/path_handler.h"

namespace asyncops::apiserver {

// Made once and served from memory: kube-apiserver takes /apis/GROUP/VERSION for the probe of
// availability.
class Discovery final : public PathHandler {
 public:
  // Of ServedResources, or some of them.
  explicit Discovery(const std::vector<ResourceInfo>& resources);
  std::optional<http::Response> Serve(const http::Request& request) override;

 private:
  // By path without a final slash.
  std::map<std::string, Document, std::less<>> legacy_;
  // By path ("/api", "/apis"), then by version of the aggregated form.
  std::map<std::string, std::map<std::string, Document, std::less<>>, std::less<>> aggregated_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_DISCOVERY_H_
