// The ConfigMap that tells extension API servers whom to believe, as values.
#ifndef ASYNCOPS_APISERVER_AUTH_DELEGATED_CONFIG_H_
#define ASYNCOPS_APISERVER_AUTH_DELEGATED_CONFIG_H_

#include "apiserver/auth/delegated_authenticator.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::apiserver {

// What the ConfigMap says. BadRequest, which begins with the key that is wrong: a list that is no
// JSON array of strings.
Result<DelegatedAuthenticationConfig> ReadDelegatedConfig(const Json& config_map);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_DELEGATED_CONFIG_H_
