// What a request may be refused for before anybody looks at what it is for.
#ifndef ASYNCOPS_APISERVER_HANDLERS_REQUEST_FILTERS_H_
#define ASYNCOPS_APISERVER_HANDLERS_REQUEST_FILTERS_H_

#include <optional>

#include "apiserver/auth/authorizer.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/request_info.h"
#include "apiserver/http/request.h"
#include "base/clock.h"
#include "base/status.h"

namespace asyncops::apiserver {

bool IsMutating(const RequestInfo& info);

// What the user asks for, for the authorizer; views into both.
Attributes AttributesOf(const RequestInfo& info, const UserInfo& user);

// What a request of this kind is answered with.
Answer AnswerTo(const RequestInfo& info);

// How long the request may wait for its answer: kRequestTimeout, kMutatingRequestTimeout of one
// that changes a single object, or less where ?timeout says so; nothing (for ever) of a stream.
// BadRequest where ?timeout is no duration.
Result<std::optional<Duration>> TimeoutOf(const http::Request& request, const RequestInfo& info);

// 504, of a request whose time is over: a change may still be made.
Status TimedOut(const RequestInfo& info);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_REQUEST_FILTERS_H_
