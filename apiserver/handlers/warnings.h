// Warning headers (RFC 7234 5.5), as kubectl prints them.
#ifndef ASYNCOPS_APISERVER_HANDLERS_WARNINGS_H_
#define ASYNCOPS_APISERVER_HANDLERS_WARNINGS_H_

#include <string>
#include <vector>

#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// One `Warning: 299 - "text"` each, repeated ones once; what is too much in all is left out, what
// is too long is cut (apiserver pkg/endpoints/filters/warning.go: 4096 and 256 characters).
void AddWarnings(const std::vector<std::string>& warnings, http::Response* response);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_WARNINGS_H_
