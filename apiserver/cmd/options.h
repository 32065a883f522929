// What `asyncops serve` is told, by flags and by a YAML file of the same names.
#ifndef ASYNCOPS_APISERVER_CMD_OPTIONS_H_
#define ASYNCOPS_APISERVER_CMD_OPTIONS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace asyncops {

struct ServeOptions {
  bool standalone = false;
  std::string data_dir;
  std::string bind_address;  // "" until it is read: 127.0.0.1 standalone, 0.0.0.0 in a cluster
  int secure_port = 6443;
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string token_auth_file;  // standalone alone
  // Of a cluster alone, down to the blank line. "" is the pod's own service account.
  std::string kubeconfig;
  bool self_signed = false;
  std::string self_signed_secret = "asyncops-serving";
  std::string service_name = "asyncops";
  std::string service_namespace;  // "" for the namespace that the credentials are of
  std::string webhook_client_ca_file;
  // Given together with a CA, or all from kube-apiserver's ConfigMap.
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers;
  std::vector<std::string> requestheader_group_headers;
  std::vector<std::string> requestheader_extra_headers_prefix;
  std::vector<std::string> requestheader_uid_headers;

  std::vector<std::string> allow_outbound;
  // Where external systems reach this server, without a slash at its end; "" for its own URL.
  std::string callback_base_url;
  int shards = 16;
  std::string event_ttl = "1h";  // as ParseDuration reads it; "0s" keeps Events for ever
  // How long a stop waits, not ready but serving, for load balancers to notice.
  std::string shutdown_delay_duration = "0s";
  std::string log_level = "info";
  std::string audit_log_path;  // "-" is standard output; "" writes none
  std::string config;
  bool help = false;

  bool operator==(const ServeOptions&) const = default;
};

// Reads `--name=value`, `--name value` and `--name` (of a switch); a later one wins, repeatable
// ones add up.
// --config FILE is read first, whatever its place, so that flags win over the file. BadRequest with
// one plain sentence: an unknown flag or key (with the nearest known one), a missing or wrong
// value, a file that does not read, or options that do not go together.
Result<ServeOptions> ParseServeOptions(const std::vector<std::string>& arguments);

// The text of `asyncops serve --help`.
std::string ServeHelp();

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_OPTIONS_H_
