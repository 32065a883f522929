// create, update and patch.
#include <utility>

#include "apiserver/handlers/body.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/object_response.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/warnings.h"

namespace asyncops::apiserver {

void ResourceHandler::Write(const ResourceInfo& resource, ApiContext context) const {
  const RequestInfo& info = *context.info;
  const Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  const Result<WriteOptions> options = WriteOptionsOf(context.request, info.verb);
  for (const Status& status : {representation.status(), options.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  Result<DecodedPatch> patch = DecodedPatch();
  Result<DecodedBody> body = DecodedBody();
  if (info.verb == "patch") {
    patch = DecodePatch(context.request, resource);
  } else {
    body = DecodeBody(context.request);
  }
  for (const Status& status : {patch.status(), body.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }

  WriteCallback done = [&resource, &clock = clock_, representation = *representation,
                        respond = std::move(context.respond)](Result<WriteResult> result) {
    if (!result.ok()) return respond(ErrorResponse(result.status()));
    http::Response response = ObjectResponse(resource, representation, result->created ? 201 : 200,
                                             std::move(result->json), clock.Now());
    AddWarnings(result->warnings, &response);
    respond(std::move(response));
  };
  const std::string scope = resource.namespaced ? info.namespace_name : "";
  if (info.verb == "create")
    return registry_.Create(resource, scope, std::move(*body), *options, std::move(done));
  if (info.verb == "update") {
    return registry_.Update(resource, scope, info.name, info.subresource, std::move(*body),
                            *options, std::move(done));
  }
  registry_.Patch(resource, scope, info.name, info.subresource, patch->type, std::move(patch->body),
                  *options, std::move(done));
}

}  // namespace asyncops::apiserver
