// What anyone at all may ask: whether the server is alive.
#ifndef ASYNCOPS_APISERVER_AUTH_PROBE_PATH_H_
#define ASYNCOPS_APISERVER_AUTH_PROBE_PATH_H_

#include "apiserver/auth/authorizer.h"

namespace asyncops::apiserver {

// Whether it reads /healthz, /livez, /readyz or what is below them.
bool IsProbe(const Attributes& attributes);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_PROBE_PATH_H_
