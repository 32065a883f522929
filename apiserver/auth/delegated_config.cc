#include "apiserver/auth/delegated_config.h"

#include <string>
#include <vector>

namespace asyncops::apiserver {
namespace {

std::string TextAt(const Json& config_map, std::string_view key) {
  return std::string(config_map.StringAt({"data", key}));
}

// None where the key is not there.
Status ReadList(const Json& config_map, std::string_view key, std::vector<std::string>* out) {
  const std::string text = TextAt(config_map, key);
  if (text.empty()) return Status::Ok();
  const Status wrong = BadRequest(std::string(key) + ": not a JSON array of strings");
  const Result<Json> list = ParseJson(text);
  if (!list.ok() || !list->is_array()) return wrong;
  for (const Json& each : list->as_array()) {
    if (!each.is_string()) return wrong;
    out->push_back(each.as_string());
  }
  return Status::Ok();
}

}  // namespace

Result<DelegatedAuthenticationConfig> ReadDelegatedConfig(const Json& config_map) {
  DelegatedAuthenticationConfig config;
  config.client_ca_pem = TextAt(config_map, "client-ca-file");
  RequestHeaderConfig& headers = config.request_header;
  headers.ca_pem = TextAt(config_map, "requestheader-client-ca-file");
  ASYNCOPS_RETURN_IF_ERROR(
      ReadList(config_map, "requestheader-allowed-names", &headers.allowed_names));
  ASYNCOPS_RETURN_IF_ERROR(
      ReadList(config_map, "requestheader-username-headers", &headers.username_headers));
  ASYNCOPS_RETURN_IF_ERROR(
      ReadList(config_map, "requestheader-group-headers", &headers.group_headers));
  ASYNCOPS_RETURN_IF_ERROR(
      ReadList(config_map, "requestheader-extra-headers-prefix", &headers.extra_header_prefixes));
  ASYNCOPS_RETURN_IF_ERROR(ReadList(config_map, "requestheader-uid-headers", &headers.uid_headers));
  return config;
}

}  // namespace asyncops::apiserver
