#include "reconciler/rendered_request.h"

namespace asyncops::reconciler {
namespace {

Json ToJson(const RenderedHeader& header) {
  if (!header.secret_key_ref) return Json::Of({{"name", header.name}, {"value", header.value}});
  const SecretKeyRef& ref = *header.secret_key_ref;
  return Json::Of(
      {{"name", header.name}, {"secretKeyRef", Json::Of({{"name", ref.name}, {"key", ref.key}})}});
}

bool FromJson(const Json& json, RenderedHeader* header) {
  const Json* name = json.Find("name");
  if (name == nullptr || !name->is_string()) return false;
  header->name = name->as_string();
  if (const Json* ref = json.Find("secretKeyRef")) {
    header->secret_key_ref =
        SecretKeyRef{std::string(ref->StringAt({"name"})), std::string(ref->StringAt({"key"}))};
    return !header->secret_key_ref->name.empty() && !header->secret_key_ref->key.empty();
  }
  const Json* value = json.Find("value");
  if (value == nullptr || !value->is_string()) return false;
  header->value = value->as_string();
  return true;
}

}  // namespace

std::string EncodeHeaders(const std::vector<RenderedHeader>& headers) {
  JsonArray array;
  for (const RenderedHeader& header : headers) array.push_back(ToJson(header));
  return EncodeJson(Json(std::move(array)));
}

Result<std::vector<RenderedHeader>> DecodeHeaders(const std::string& text) {
  const Result<Json> json = ParseJson(text);
  if (!json.ok() || !json->is_array()) return InternalError("stored headers are no JSON list");
  std::vector<RenderedHeader> headers;
  for (const Json& item : json->as_array()) {
    RenderedHeader& header = headers.emplace_back();
    if (!FromJson(item, &header)) return InternalError("a stored header has no name or no value");
  }
  return headers;
}

}  // namespace asyncops::reconciler
