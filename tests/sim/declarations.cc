#include "tests/sim/declarations.h"

#include <chrono>

namespace asyncops::sim {
namespace {

std::string Seconds(Duration duration) {
  return std::to_string(duration.count() / 1'000'000) + "s";
}

Json Object(std::string_view api_version, std::string_view kind, std::string_view name) {
  return Json::Of({{"apiVersion", Json(api_version)},
                   {"kind", Json(kind)},
                   {"metadata", Json::Of({{"name", Json(name)}})}});
}

// Where an operation is asked for by its ID alone: what was adopted has no other reference.
std::string PollPath(Face face) {
  if (face == Face::kGoogleLro) return "/${operation.id}";
  return face == Face::kJobStatus ? "/jobs/${operation.id}" : "/operations/${operation.id}";
}

Json PollSpecOf(const Plan& plan) {
  return Json::Of({{"path", PollPath(plan.cloud.face)},
                   {"interval", Json::Of({{"initial", "2s"}, {"max", "30s"}})}});
}

Json RetrySpecOf() {
  return Json::Of({{"tiers", JsonArray{Json::Of({{"upTo", 5}, {"delay", "5s"}}),
                                       Json::Of({{"delay", "5m"}})}}});
}

Json RecoverySpecOf(const Plan& plan) {
  return Json::Of({{"lookup", Json::Of({{"path", "/volumes?correlation=${operation.correlationID}"},
                                        {"found", "size(response.body.items) > 0"},
                                        {"id", "/items/0/operation"},
                                        {"settle", Seconds(plan.settle)}})}});
}

Json CancelSpecOf(Face face) {
  if (face == Face::kGoogleLro)
    return Json::Of({{"method", "POST"}, {"path", "/${operation.id}:cancel"}});
  if (face == Face::kJobStatus)
    return Json::Of({{"method", "POST"}, {"path", "/jobs/${operation.id}/cancel"}});
  return Json::Of({{"method", "DELETE"}, {"path", "/operations/${operation.id}"}});
}

std::string IdPointer(Face face) {
  if (face == Face::kGoogleLro) return "/response/id";
  return face == Face::kJobStatus ? "/result/id" : "/id";
}

void AddCallback(const Plan& plan, Json* step) {
  const Calling& calling = plan.cloud.calling;
  if (!calling.asked || calling.at_system) return;
  Json callback = Json::Of({{"inject", Json::Of({{"in", "Header"}, {"name", "X-Callback-Url"}})}});
  if (calling.names_id) callback.Set("correlate", "/operation");
  step->Set("callback", std::move(callback));
}

Json CallbackOf(const Calling& calling) {
  Json callback =
      Json::Of({{"scheme", calling.is_signed ? "GitHub" : "Token"},
                {"secretRefs", JsonArray{Json::Of({{"name", "cloud"}, {"key", "hook"}})}}});
  if (calling.at_system) callback.Set("correlate", "/operation");
  if (calling.trusted) callback.Set("trustPayload", true);
  return callback;
}

Json CreateStep(const Plan& plan) {
  Json step =
      Json::Of({{"submit", Json::Of({{"method", "POST"},
                                     {"path", "/volumes"},
                                     {"body", Json::Of({{"name", "${metadata.name}"},
                                                        {"size", "${spec.parameters.size}"}})}})},
                {"poll", PollSpecOf(plan)}});
  if (plan.cloud.has_lookup) step.Set("recovery", RecoverySpecOf(plan));
  AddCallback(plan, &step);
  return step;
}

Json OtherStep(const Plan& plan, std::string_view method) {
  Json submit = Json::Of({{"method", Json(method)}, {"path", "/volumes/${outputs.volumeID}"}});
  if (method == "PUT") submit.Set("body", Json::Of({{"size", "${spec.parameters.size}"}}));
  Json step = Json::Of({{"submit", std::move(submit)}, {"poll", PollSpecOf(plan)}});
  AddCallback(plan, &step);
  return step;
}

void AddCommon(const Plan& plan, JsonObject* spec) {
  spec->Set("externalSystemRef", Json::Of({{"name", "cloud"}}));
  spec->Set("parameters", Json::Of({{"size", 1}}));
  spec->Set("outputs",
            JsonArray{Json::Of({{"name", "volumeID"}, {"value", IdPointer(plan.cloud.face)}})});
  spec->Set("activeDeadline", Seconds(plan.active_deadline));
  if (plan.cloud.can_cancel) spec->Set("cancel", CancelSpecOf(plan.cloud.face));
  if (plan.quick_retries) spec->Set("retry", RetrySpecOf());
}

}  // namespace

Json NamespaceObject() { return Object("v1", "Namespace", kNamespace); }

Json SecretObject(int number) {
  Json secret = Object("v1", "Secret", "cloud");
  secret.Set("stringData", Json::Of({{"token", Credential(number)}, {"hook", HookSecret(number)}}));
  return secret;
}

Json SystemObject(const Plan& plan) {
  Json system = Object("asyncops.dev/v1alpha1", "ExternalSystem", "cloud");
  const std::string_view preset = plan.cloud.face == Face::kGoogleLro   ? "GoogleLRO"
                                  : plan.cloud.face == Face::kJobStatus ? "JobStatus"
                                                                        : "AcceptedLocation";
  Json spec = Json::Of({{"endpoint", "https://cloud.example/v1"},
                        {"preset", Json(preset)},
                        {"auth", Json::Of({{"bearerTokenSecretRef",
                                            Json::Of({{"name", "cloud"}, {"key", "token"}})}})},
                        {"correlation", Json::Of({{"in", "Header"}, {"name", "X-Correlation-Id"}})},
                        {"limits", Json::Of({{"requestTimeout", "10s"}})}});
  if (plan.cloud.honours_key) {
    spec.Set("idempotency", Json::Of({{"in", "Header"},
                                      {"name", "Idempotency-Key"},
                                      {"ttl", Seconds(plan.cloud.key_ttl)}}));
  }
  if (plan.cloud.calling.asked) spec.Set("callback", CallbackOf(plan.cloud.calling));
  system.Set("spec", std::move(spec));
  return system;
}

Json OperationObject(const Plan& plan, const std::string& name) {
  Json operation = Object("operations.asyncops.dev/v1alpha1", "AsyncOperation", name);
  Json spec = CreateStep(plan);
  AddCommon(plan, &spec.as_object());
  spec.Set("type", "Create");
  operation.Set("spec", std::move(spec));
  return operation;
}

Json ResourceObject(const Plan& plan, const std::string& name) {
  Json resource = Object("asyncops.dev/v1alpha1", "AsyncResource", name);
  Json spec = Json::Of({{"create", CreateStep(plan)},
                        {"update", OtherStep(plan, "PUT")},
                        {"delete", OtherStep(plan, "DELETE")}});
  AddCommon(plan, &spec.as_object());
  resource.Set("spec", std::move(spec));
  return resource;
}

}  // namespace asyncops::sim
