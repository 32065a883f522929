// The actions on an operation: a POST to cancel, retry or resolve.
#include <utility>

#include "api/asyncops/v1alpha1/steps.h"
#include "api/operations/v1alpha1/cancel_warning.h"
#include "api/operations/v1alpha1/operation_action.h"
#include "api/schema/walk.h"
#include "apiserver/handlers/body.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/object_response.h"
#include "apiserver/handlers/resource_handler.h"
#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/write_options.h"
#include "apiserver/registry/pipeline.h"
#include "apiserver/registry/preconditions.h"

namespace asyncops::apiserver {
namespace {

// What a client asks for, and of which state of the operation.
struct Asked {
  OperationRequest request;
  Preconditions preconditions;  // uid and resourceVersion of its metadata
  std::vector<std::string> warnings;
};

Result<DecodedBody> ReadBody(const http::Request& request, const SubresourceInfo& action) {
  if (request.body.empty() && !action.body_required) return DecodedBody{JsonObject(), {}};
  return DecodeBody(request);
}

// What the path says already may be left out of the body.
void FillIn(const ResourceInfo& kind, const std::string& name, Json* body) {
  if (!body->is_object()) return;
  if (body->StringAt({"kind"}).empty()) body->Set("kind", kind.kind);
  if (body->StringAt({"apiVersion"}).empty()) body->Set("apiVersion", kind.GroupVersion());
  const Json* metadata = body->Find("metadata");
  const bool wrong = metadata != nullptr && !metadata->is_object() && !metadata->is_null();
  if (!wrong && body->StringAt({"metadata", "name"}).empty())
    body->ObjectAt("metadata").Set("name", name);
}

Result<Asked> ReadAction(const SubresourceInfo& action, const ResourceInfo& kind,
                         const RequestInfo& info, DecodedBody body, FieldValidation mode,
                         Time now) {
  Asked asked;
  FillIn(kind, info.name, &body.value);
  ASYNCOPS_RETURN_IF_ERROR(
      CheckBody(kind, {.namespace_name = info.namespace_name, .name = info.name}, &body.value));
  ASYNCOPS_RETURN_IF_ERROR(
      CheckFields(kind, mode, &body.value, body.duplicate_fields, &asked.warnings));
  ApplyDefaults(*kind.schema, &body.value);
  if (const FieldErrors errors = ValidateStructure(*kind.schema, body.value); !errors.empty())
    return InvalidObject(kind.group, kind.kind, info.name, errors);
  Result<OperationRequest> request = ReadOperationRequest(action.name, body.value, now);
  if (!request.ok()) return request.status();
  asked.request = std::move(*request);
  const auto precondition = [&body](std::string_view member) {
    const std::string value(body.value.StringAt({"metadata", member}));
    return value.empty() ? std::nullopt : std::optional(value);
  };
  asked.preconditions = {.uid = precondition("uid"),
                         .resource_version = precondition("resourceVersion")};
  return asked;
}

// What a client is told of a cancel that will not reach anything outside.
void WarnOfCancel(const Registry& registry, const ResourceInfo& operations, const RequestInfo& info,
                  std::vector<std::string>* warnings) {
  const Result<storage::Record> record = registry.Get(operations, info.namespace_name, info.name);
  const Result<Json> operation =
      record.ok() ? ParseJson(record->json) : Result<Json>(record.status());
  if (!operation.ok()) return;
  const std::string system(operation->StringAt({"spec", "externalSystemRef", "name"}));
  const Result<Json> declared = registry.GetDeclared(
      *FindResource(kAsyncopsGroup, "externalsystems"), info.namespace_name, system);
  const std::string_view preset = declared.ok() ? declared->StringAt({"spec", "preset"}) : "";
  if (std::string warning = CancelWarning(*operation, preset); !warning.empty())
    warnings->push_back(std::move(warning));
}

}  // namespace

void ResourceHandler::Act(const ResourceInfo& resource, const SubresourceInfo& action,
                          ApiContext context) const {
  const RequestInfo& info = *context.info;
  const Result<Representation> representation = Negotiate(context.request, Answer::kObject);
  const Result<WriteOptions> options = WriteOptionsOf(context.request, "create");
  Result<DecodedBody> body = ReadBody(context.request, action);
  for (const Status& status : {representation.status(), options.status(), body.status()}) {
    if (!status.ok()) return context.respond(ErrorResponse(status));
  }
  const ResourceInfo kind{.group = resource.group,
                          .version = resource.version,
                          .kind = action.kind,
                          .plural = resource.plural,
                          .schema = action.schema};
  Result<Asked> asked =
      ReadAction(action, kind, info, std::move(*body), options->field_validation, clock_.Now());
  if (!asked.ok()) return context.respond(ErrorResponse(asked.status()));
  if (action.name == "cancel") WarnOfCancel(registry_, resource, info, &asked->warnings);
  asked->request.user = context.user->name;

  auto change = [&resource, request = std::move(asked->request),
                 preconditions = std::move(asked->preconditions)](Json present) -> Result<Json> {
    ASYNCOPS_RETURN_IF_ERROR(CheckPreconditions(resource, preconditions, present));
    return RecordOperationRequest(request, std::move(present));
  };
  // 201, as apiserver answers a POST to any subresource.
  WriteCallback done = AnswerOfWrite(resource, *representation,
                                     {.code = 201, .warnings = std::move(asked->warnings)}, clock_,
                                     std::move(context.respond));
  registry_.Change(resource, info.namespace_name, info.name, action.name, *options,
                   std::move(change), std::move(done));
}

}  // namespace asyncops::apiserver
