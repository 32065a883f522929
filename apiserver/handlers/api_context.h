// One request on its way through the handlers: who asks, for what, and where the answer goes.
#ifndef ASYNCOPS_APISERVER_HANDLERS_API_CONTEXT_H_
#define ASYNCOPS_APISERVER_HANDLERS_API_CONTEXT_H_

#include <memory>

#include "apiserver/auth/user_info.h"
#include "apiserver/handlers/request_info.h"
#include "apiserver/http/response.h"

namespace asyncops::apiserver {

struct ApiContext {
  http::Request request;
  std::shared_ptr<const RequestInfo> info;  // never null; shared with the audit line
  UserPointer user;                         // never null
  http::Responder respond;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_API_CONTEXT_H_
