// /openapi/v2 and /openapi/v3, each in JSON and in protobuf (kubectl up to 1.28 reads v2 in that
// alone).
#ifndef ASYNCOPS_APISERVER_HANDLERS_OPENAPI_HANDLER_H_
#define ASYNCOPS_APISERVER_HANDLERS_OPENAPI_HANDLER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/scheme.h"
#include "apiserver/handlers/document.h"
#include "apiserver/handlers/path_handler.h"
#include "base/mutex.h"

namespace asyncops::apiserver {

// Documents are made when they are first asked for: a start does not wait for them, and an idle
// server does not hold them.
class OpenApiHandler final : public PathHandler {
 public:
  // Of ServedResources, or some of them.
  explicit OpenApiHandler(std::vector<ResourceInfo> resources);
  std::optional<http::Response> Serve(const http::Request& request) override;

 private:
  // The document of that name, made by `make` the first time.
  template <class Make>
  std::shared_ptr<const Document> Get(const std::string& name, Make make);
  std::shared_ptr<const Document> V2Json();
  std::shared_ptr<const Document> V2Protobuf();
  std::shared_ptr<const Document> V3(const std::string& group_version);
  std::shared_ptr<const Document> V3Index();
  std::shared_ptr<const Document> V3Protobuf(const std::string& group_version);
  http::Response ServeV2(const http::Request& request);
  http::Response ServeV3(const http::Request& request, const std::string& group_version);

  const std::vector<ResourceInfo> resources_;
  // "api/v1", "apis/asyncops.dev/v1alpha1" to group-version.
  std::map<std::string, std::string, std::less<>> group_versions_;

  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Document>> documents_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_OPENAPI_HANDLER_H_
