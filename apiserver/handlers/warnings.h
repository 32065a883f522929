// Warning headers (RFC 7234 5.5), as kubectl prints them.
#ifndef ASYNCOPS_APISERVER_HANDLERS_WARNINGS_H_
#define ASYNCOPS_APISERVER_HANDLERS_WARNINGS_H_

#include <string>
#include <vector>

#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// One `Warning: 299 - "text"` each, repeated ones once. Where all together are longer than 4096
// characters each is cut to 256, and what comes after the first 4096 of these is left out
// (apiserver pkg/endpoints/filters/warning.go).
void AddWarnings(const std::vector<std::string>& warnings, http::Response* response);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_WARNINGS_H_
