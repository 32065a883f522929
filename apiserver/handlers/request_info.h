// What a request asks for, read from its method, path and query (apiserver
// pkg/endpoints/request/requestinfo.go).
#ifndef ASYNCOPS_APISERVER_HANDLERS_REQUEST_INFO_H_
#define ASYNCOPS_APISERVER_HANDLERS_REQUEST_INFO_H_

#include <string>

#include "apiserver/http/request.h"

namespace asyncops::apiserver {

struct RequestInfo {
  bool resource_request = false;
  std::string verb;        // get list watch create update patch delete deletecollection; else the
                           // lower-case method
  std::string api_prefix;  // "api" or "apis"
  std::string group;
  std::string version;
  std::string namespace_name;
  bool in_namespace = false;  // the path is below a namespace; that of one itself is not
  std::string resource;       // plural
  std::string name;
  std::string subresource;
  // As they came, of what lists, watches or deletes many; "" for none.
  std::string field_selector;
  std::string label_selector;
  // Answered by a stream of changes: verb watch, or the get of a subresource that is a list, with
  // ?watch. No deadline holds for it.
  bool streams = false;
  std::string path;

  // Group and version of a resource request: "v1", "asyncops.dev/v1alpha1".
  std::string GroupVersion() const;
};

// Never fails: what does not read as a resource request is a non-resource request.
// `metadata.name=X` of a list's or watch's field selector becomes the name for authorization.
RequestInfo ParseRequestInfo(const http::Request& request);

// How Kubernetes reads a boolean parameter: anything but "", "0" and "false" (any case) is true; a
// bare `?watch` is true.
bool QueryFlag(const http::Query& query, std::string_view name);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_REQUEST_INFO_H_
