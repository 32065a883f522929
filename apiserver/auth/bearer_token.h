// `Authorization: Bearer TOKEN`.
#ifndef ASYNCOPS_APISERVER_AUTH_BEARER_TOKEN_H_
#define ASYNCOPS_APISERVER_AUTH_BEARER_TOKEN_H_

#include <optional>
#include <string_view>

#include "apiserver/http/request.h"

namespace asyncops::apiserver {

// The token of a request, a view into it, perhaps ""; nothing where it shows none. The scheme
// counts in any case of letters.
std::optional<std::string_view> BearerTokenOf(const http::Request& request);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_BEARER_TOKEN_H_
