// One request on its way through the handlers: who asks, for what, and where the answer goes.
#ifndef ASYNCOPS_APISERVER_HANDLERS_API_CONTEXT_H_
#define ASYNCOPS_APISERVER_HANDLERS_API_CONTEXT_H_

#include <string>
#include <vector>

#include "apiserver/auth/user_info.h"
#include "apiserver/handlers/request_info.h"
#include "apiserver/http/response.h"

namespace asyncops::apiserver {

struct ApiContext {
  http::Request request;
  RequestInfo info;
  UserInfo user;
  http::Responder respond;
  // Sent as Warning headers with whatever answer follows.
  std::vector<std::string> warnings;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_API_CONTEXT_H_
