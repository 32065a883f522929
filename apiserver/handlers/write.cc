// create, update and patch.
#include <memory>
#include <utility>

#include "apiserver/handlers/body.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/object_response.h"
#include "apiserver/handlers/request_filters.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/write_options.h"

namespace asyncops::apiserver {
void ResourceHandler::Write(const ResourceInfo& resource, ApiContext context) const {
  const RequestInfo& info = *context.info;
  const Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  Result<WriteOptions> options = WriteOptionsOf(context.request, info.verb);
  for (const Status& status : {representation.status(), options.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  options->user = context.user->name;
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

  WriteCallback done = AnswerOfWrite(resource, *representation, {.code = 200, .warnings = {}},
                                     clock_, std::move(context.respond));
  const std::string scope = resource.namespaced ? info.namespace_name : "";
  if (info.verb == "create")
    return registry_.Create(resource, scope, std::move(*body), *options, std::move(done));
  if (info.verb == "update") {
    return registry_.Update(resource, scope, info.name, info.subresource, std::move(*body),
                            *options, std::move(done));
  }
  Patch(resource, context, patch->type, std::move(patch->body), *options, std::move(done));
}

void ResourceHandler::Patch(const ResourceInfo& resource, const ApiContext& context, PatchType type,
                            DecodedBody body, WriteOptions options, WriteCallback done) const {
  const RequestInfo& info = *context.info;
  const std::string scope = resource.namespaced ? info.namespace_name : "";
  const bool creates =
      type == PatchType::kApply && info.subresource.empty() &&
      registry_.Get(resource, scope, info.name).status().reason() == Reason::kNotFound;
  if (!creates) {
    return registry_.Patch(resource, scope, info.name, info.subresource, type, std::move(body),
                           std::move(options), std::move(done));
  }
  // Holds what the attributes point into.
  struct Waiting {
    std::shared_ptr<const RequestInfo> info;
    UserPointer user;
    DecodedBody body;
    WriteOptions options;
    WriteCallback done;
  };
  options.may_create = true;
  auto waiting = std::make_shared<Waiting>(
      Waiting{context.info, context.user, std::move(body), std::move(options), std::move(done)});
  Attributes create = AttributesOf(*waiting->info, *waiting->user);
  create.verb = "create";
  authorizer_.Authorize(create,
                        [this, waiting, create, scope, &resource](const Decision& decision) {
                          if (!decision.allowed)
                            return waiting->done(RefusalStatus(create, decision));
                          registry_.Patch(resource, scope, waiting->info->name, "",
                                          PatchType::kApply, std::move(waiting->body),
                                          std::move(waiting->options), std::move(waiting->done));
                        });
}

}  // namespace asyncops::apiserver
