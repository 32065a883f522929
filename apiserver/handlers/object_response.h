// One object as an answer, in the representation that was negotiated.
#ifndef ASYNCOPS_APISERVER_HANDLERS_OBJECT_RESPONSE_H_
#define ASYNCOPS_APISERVER_HANDLERS_OBJECT_RESPONSE_H_

#include <string>
#include <vector>

#include "api/scheme.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/http/response.h"
#include "apiserver/registry/registry.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// `json` is the object's stored bytes; ages in a Table are as of `now`.
http::Response ObjectResponse(const ResourceInfo& resource, const Representation& representation,
                              int code, std::string json, Time now);

// What a write is answered with, besides the object.
struct WriteAnswer {
  int code = 200;                     // 201 where the write made the object, whatever this says
  std::vector<std::string> warnings;  // before those of the write itself
};

// Answers a write with the object as it stands then, or with why it failed. The resource and the
// clock outlive it.
WriteCallback AnswerOfWrite(const ResourceInfo& resource, Representation representation,
                            WriteAnswer answer, const Clock& clock, http::Responder respond);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_OBJECT_RESPONSE_H_
