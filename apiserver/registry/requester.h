// Who asked the engine for something: the annotation that only the server writes.
#ifndef ASYNCOPS_APISERVER_REGISTRY_REQUESTER_H_
#define ASYNCOPS_APISERVER_REGISTRY_REQUESTER_H_

#include <string>

#include "api/scheme.h"
#include "base/json.h"

namespace asyncops::apiserver {

// Sets asyncops.dev/requested-by to `user` where the object asks for something that `old` (null at
// creation) did not: a retry, a cancel, a resolution, a forced deletion, another spec.suspend. It
// keeps its old value otherwise, whatever the client wrote into it. Objects that the engine does
// not drive stay as they are.
void StampRequester(const ResourceInfo& resource, const std::string& user, const Json* old,
                    Json* object);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_REGISTRY_REQUESTER_H_
