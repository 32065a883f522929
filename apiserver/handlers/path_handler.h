// What is served at fixed paths, beside the resources: discovery, OpenAPI, health, version,
// metrics.
#ifndef ASYNCOPS_APISERVER_HANDLERS_PATH_HANDLER_H_
#define ASYNCOPS_APISERVER_HANDLERS_PATH_HANDLER_H_

#include <optional>

#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// Safe for use from several threads; must not block: probes depend on it.
class PathHandler {
 public:
  virtual ~PathHandler() = default;
  // The answer to a GET or HEAD; nothing where the path is not this handler's.
  virtual std::optional<http::Response> Serve(const http::Request& request) = 0;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_PATH_HANDLER_H_
