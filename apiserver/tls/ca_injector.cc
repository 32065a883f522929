#include "apiserver/tls/ca_injector.h"

#include <utility>

#include "base/encoding.h"
#include "base/json.h"
#include "base/log.h"

namespace asyncops::tls {
namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";
// Somebody else may write the same object meanwhile.
constexpr int kTries = 5;

// Of an APIService, what is to change; null where nothing is.
Json ServiceChange(const Json& object, const std::string& encoded) {
  if (object.StringAt({"spec", "caBundle"}) == encoded) return {};
  return Json::Of({{"spec", Json::Of({{"caBundle", encoded}})}});
}

// Of a webhook configuration. A merge patch replaces a list as a whole, so the version that it was
// read at goes with it.
Json WebhookChange(const Json& object, const std::string& encoded) {
  const Json* webhooks = object.Find("webhooks");
  if (webhooks == nullptr || !webhooks->is_array()) return {};
  JsonArray changed = webhooks->as_array();
  bool differs = false;
  for (Json& webhook : changed) {
    if (webhook.StringAt({"clientConfig", "caBundle"}) == encoded) continue;
    webhook.ObjectAt("clientConfig").Set("caBundle", encoded);
    differs = true;
  }
  if (!differs) return {};
  return Json::Of({{"webhooks", std::move(changed)}});
}

Status Inject(kube::ApiClient& client, const std::string& target, const std::string& encoded,
              Json (*change)(const Json& object, const std::string& encoded)) {
  Status last;
  for (int i = 0; i < kTries; ++i) {
    const Result<Json> object = client.Call({.target = target});
    if (object.status().reason() == Reason::kNotFound) return Status::Ok();
    if (!object.ok()) return object.status();
    Json patch = change(*object, encoded);
    if (patch.is_null()) return Status::Ok();
    patch.ObjectAt("metadata")
        .Set("resourceVersion", object->StringAt({"metadata", "resourceVersion"}));
    last = client
               .Call({.method = "PATCH",
                      .target = target + "?fieldManager=asyncops",
                      .body = EncodeJson(patch),
                      .content_type = std::string(kMergePatch)})
               .status();
    if (last.ok()) Log(LogLevel::kInfo, "set the CA bundle", {{"object", target}});
    if (last.reason() != Reason::kConflict) return last;
  }
  return last;
}

}  // namespace

Status InjectCaBundle(kube::ApiClient& client, const CaTargets& targets,
                      const std::string& bundle) {
  const std::string encoded = Base64Encode(bundle);
  const Status service =
      Inject(client, "/apis/apiregistration.k8s.io/v1/apiservices/" + targets.api_service, encoded,
             ServiceChange)
          .WithContext("set caBundle of APIService " + targets.api_service);
  const Status webhooks =
      Inject(client,
             "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/" +
                 targets.webhook_configuration,
             encoded, WebhookChange)
          .WithContext("set caBundle of ValidatingWebhookConfiguration " +
                       targets.webhook_configuration);
  return service.ok() ? webhooks : service;
}

}  // namespace asyncops::tls
