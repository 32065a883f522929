// One object as an answer, in the representation that was negotiated.
#ifndef ASYNCOPS_APISERVER_HANDLERS_OBJECT_RESPONSE_H_
#define ASYNCOPS_APISERVER_HANDLERS_OBJECT_RESPONSE_H_

#include <string>

#include "api/scheme.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/http/response.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// `json` is the object's stored bytes; ages in a Table are as of `now`.
http::Response ObjectResponse(const ResourceInfo& resource, const Representation& representation,
                              int code, std::string json, Time now);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_OBJECT_RESPONSE_H_
