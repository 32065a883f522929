// Request bodies in Kubernetes' protobuf: what kubectl from 1.33 on and typed clients send for the
// kinds that they know themselves, as in `kubectl create namespace` and `kubectl create secret`.
#ifndef ASYNCOPS_APISERVER_HANDLERS_PROTOBUF_BODY_H_
#define ASYNCOPS_APISERVER_HANDLERS_PROTOBUF_BODY_H_

#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace asyncops::apiserver {

// The object in JSON. Fields that are not known are skipped, as protobuf has it; managedFields,
// which are the server's to keep, are among them. UnsupportedMediaType for a kind other than a
// Namespace or a Secret of v1, or DeleteOptions; BadRequest for bytes that are no such message.
Result<Json> DecodeProtobuf(std::string_view bytes);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_PROTOBUF_BODY_H_
