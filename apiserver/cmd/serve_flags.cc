#include "apiserver/cmd/serve_flags.h"

#include <array>

namespace asyncops {
namespace {

constexpr std::array<Flag, 29> kFlags = {{
    {.name = "standalone",
     .help = "Serve without a cluster: objects, certificates and kubeconfig live in --data-dir. "
             "Otherwise the server is one behind a kube-apiserver.",
     .boolean = &ServeOptions::standalone},
    {.name = "data-dir",
     .value_name = "DIR",
     .help = "Directory for the database (standalone: certificates and kubeconfig too); made "
             "where it is missing. One process at a time.",
     .text = &ServeOptions::data_dir},
    {.name = "bind-address",
     .value_name = "IP",
     .help = "Address to listen on (default 127.0.0.1, in a cluster 0.0.0.0).",
     .text = &ServeOptions::bind_address},
    {.name = "secure-port",
     .value_name = "PORT",
     .help = "Port to listen on, with TLS; 0 takes any free one (default 6443).",
     .number = &ServeOptions::secure_port},
    {.name = "tls-cert-file",
     .value_name = "FILE",
     .help =
         "Serving certificate (PEM, leaf first) instead of one of our own CA; read again when it "
         "changes.",
     .text = &ServeOptions::tls_cert_file},
    {.name = "tls-private-key-file",
     .value_name = "FILE",
     .help = "Key of --tls-cert-file (PEM).",
     .text = &ServeOptions::tls_private_key_file},
    {.name = "client-ca-file",
     .value_name = "FILE",
     .help = "CA bundle whose client certificates are admitted: beside those of our own CA "
             "(standalone), or instead of those that kube-apiserver names (cluster).",
     .text = &ServeOptions::client_ca_file},
    {.name = "token-auth-file",
     .value_name = "FILE",
     .help = "Bearer tokens that are admitted: lines of token,user,uid[,\"group1,group2\"].",
     .mode = Mode::kStandalone,
     .text = &ServeOptions::token_auth_file},
    {.name = "kubeconfig",
     .value_name = "FILE",
     .help = "Which kube-apiserver, and as whom (default: the pod's own service account).",
     .mode = Mode::kCluster,
     .text = &ServeOptions::kubeconfig},
    {.name = "self-signed",
     .help = "Keep a CA and a serving certificate for the Service in a Secret, renew them, and "
             "write the CA into the APIService and the webhook configuration.",
     .mode = Mode::kCluster,
     .boolean = &ServeOptions::self_signed},
    {.name = "self-signed-secret",
     .value_name = "NAME",
     .help = "The Secret of --self-signed, in the Service's namespace (default asyncops-serving).",
     .mode = Mode::kCluster,
     .text = &ServeOptions::self_signed_secret},
    {.name = "service-name",
     .value_name = "NAME",
     .help = "The Service that the APIService names (default asyncops).",
     .mode = Mode::kCluster,
     .text = &ServeOptions::service_name},
    {.name = "service-namespace",
     .value_name = "NAME",
     .help = "Its namespace (default: that of the pod or of the kubeconfig's context).",
     .mode = Mode::kCluster,
     .text = &ServeOptions::service_namespace},
    {.name = "webhook-client-ca-file",
     .value_name = "FILE",
     .help = "CA bundle by which whoever calls the webhook must show a certificate, where "
             "kube-apiserver is configured to (default: anybody may call it; it changes nothing).",
     .mode = Mode::kCluster,
     .text = &ServeOptions::webhook_client_ca_file},
    {.name = "requestheader-client-ca-file",
     .value_name = "FILE",
     .help = "CA bundle of the front proxy (default, as of all --requestheader flags: what "
             "kube-apiserver publishes in kube-system/extension-apiserver-authentication).",
     .mode = Mode::kCluster,
     .text = &ServeOptions::requestheader_client_ca_file},
    {.name = "requestheader-allowed-names",
     .value_name = "NAME",
     .help = "Common name that the front proxy's certificate may have; repeatable, none is any.",
     .mode = Mode::kCluster,
     .list = &ServeOptions::requestheader_allowed_names},
    {.name = "requestheader-username-headers",
     .value_name = "NAME",
     .help = "Header that holds the user's name; repeatable.",
     .mode = Mode::kCluster,
     .list = &ServeOptions::requestheader_username_headers},
    {.name = "requestheader-group-headers",
     .value_name = "NAME",
     .help = "Header that holds a group; repeatable.",
     .mode = Mode::kCluster,
     .list = &ServeOptions::requestheader_group_headers},
    {.name = "requestheader-extra-headers-prefix",
     .value_name = "PREFIX",
     .help = "How headers with more about the user begin; repeatable.",
     .mode = Mode::kCluster,
     .list = &ServeOptions::requestheader_extra_headers_prefix},
    {.name = "requestheader-uid-headers",
     .value_name = "NAME",
     .help = "Header that holds the user's uid; repeatable.",
     .mode = Mode::kCluster,
     .list = &ServeOptions::requestheader_uid_headers},
    {.name = "allow-outbound",
     .value_name = "CIDR",
     .help = "Loopback or private range that external systems may be in; repeatable. "
             "Cloud metadata addresses are never allowed.",
     .list = &ServeOptions::allow_outbound},
    {.name = "callback-base-url",
     .value_name = "URL",
     .help = "https URL by which external systems reach this server for callbacks, such as that of "
             "a proxy in front of it (default: the server's own address).",
     .text = &ServeOptions::callback_base_url},
    {.name = "shards",
     .value_name = "N",
     .help = "Parts of what the reconciler works on, by a hash of names; an operation's history "
             "says whose it was (default 16, at most 256).",
     .number = &ServeOptions::shards},
    {.name = "event-ttl",
     .value_name = "DURATION",
     .help = "How long Events are kept (default 1h); 0s keeps them for ever.",
     .mode = Mode::kStandalone,
     .text = &ServeOptions::event_ttl},
    {.name = "shutdown-delay-duration",
     .value_name = "DURATION",
     .help = "How long a stop first waits, with /readyz failing but all requests served, so that "
             "load balancers notice; a second signal ends the wait (default 0s).",
     .text = &ServeOptions::shutdown_delay_duration},
    {.name = "log-level",
     .value_name = "LEVEL",
     .help = "debug, info, warning or error (default info); debug logs each request.",
     .text = &ServeOptions::log_level},
    {.name = "audit-log-path",
     .value_name = "FILE",
     .help = "Append one JSON line per request to this file: who asked for what, and what came of "
             "it; never a body. - is standard output (default: none). SIGHUP opens it anew, after "
             "it was moved away.",
     .text = &ServeOptions::audit_log_path},
    {.name = "config",
     .value_name = "FILE",
     .help = "YAML file of these options by the same names; flags win over it.",
     .text = &ServeOptions::config},
    {.name = "help", .help = "Print this text.", .boolean = &ServeOptions::help},
}};

}  // namespace

bool Flag::Differs(const ServeOptions& a, const ServeOptions& b) const {
  if (boolean != nullptr) return a.*boolean != b.*boolean;
  if (number != nullptr) return a.*number != b.*number;
  if (text != nullptr) return a.*text != b.*text;
  return a.*list != b.*list;
}

std::span<const Flag> ServeFlags() { return kFlags; }

}  // namespace asyncops
