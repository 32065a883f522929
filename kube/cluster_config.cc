#include "kube/cluster_config.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/read_file.h"
#include "base/yaml.h"

namespace asyncops::kube {
namespace {

using Source = ClusterConfig::Source;

constexpr std::int64_t kMaxPort = 65535;

bool IsSet(const Json& entry, std::string_view name) {
  const Json* value = entry.Find(name);
  if (value == nullptr || value->is_null()) return false;
  if (value->is_bool()) return value->as_bool();
  if (value->is_string()) return !value->as_string().empty();
  if (value->is_array()) return !value->as_array().empty();
  return !value->is_object() || !value->as_object().empty();
}

// One file, for messages and for the paths in it.
class Kubeconfig {
 public:
  Kubeconfig(const std::string& path, Json root) : path_(path), root_(std::move(root)) {}

  Result<ClusterConfig> Read(const std::string& context) const;

 private:
  Status Wrong(std::string_view what) const {
    return BadRequest("kubeconfig " + path_ + ": " + std::string(what));
  }
  // The `kind` ("cluster") of this name, below the list of its plural.
  Result<Json> Entry(std::string_view kind, std::string_view name) const;
  // The file or, in base64, the bytes of one credential.
  Status ReadSource(const Json& entry, const std::string& where, std::string_view name,
                    Source* source) const;
  Status ReadCluster(const Json& cluster, const std::string& where, ClusterConfig* config) const;
  Status ReadUser(const Json& user, const std::string& where, ClusterConfig* config) const;
  std::string Below(std::string_view path) const {
    return (std::filesystem::path(path_).parent_path() / path).string();
  }

  const std::string path_;
  const Json root_;
};

Result<Json> Kubeconfig::Entry(std::string_view kind, std::string_view name) const {
  const Json* list = root_.Find(std::string(kind) + "s");
  const std::string where = std::string(kind) + " \"" + std::string(name) + "\"";
  if (list != nullptr && list->is_array()) {
    for (const Json& item : list->as_array()) {
      if (item.StringAt({"name"}) != name) continue;
      const Json* entry = item.Find(kind);
      if (entry == nullptr || !entry->is_object()) return Wrong(where + " holds nothing");
      return *entry;
    }
  }
  return Wrong("there is no " + where);
}

Status Kubeconfig::ReadSource(const Json& entry, const std::string& where, std::string_view name,
                              Source* source) const {
  const std::string data_name = std::string(name) + "-data";
  const std::string_view data = entry.StringAt({data_name});
  // As kubectl has it: the data win over the file.
  if (!data.empty()) {
    std::optional<std::string> bytes = Base64Decode(data);
    if (!bytes || bytes->empty()) return Wrong(where + ": " + data_name + " is no base64");
    source->bytes = *std::move(bytes);
    return Status::Ok();
  }
  if (IsSet(entry, data_name)) return Wrong(where + ": " + data_name + " is no text");
  const std::string_view path = entry.StringAt({name});
  if (!path.empty()) source->path = Below(path);
  return Status::Ok();
}

Status Kubeconfig::ReadCluster(const Json& cluster, const std::string& where,
                               ClusterConfig* config) const {
  const std::string server(cluster.StringAt({"server"}));
  const std::optional<Uri> uri = ParseUri(server);
  if (!uri || uri->scheme != "https") return Wrong(where + ": server is no https URL");
  if (uri->target.find('?') != std::string::npos) return Wrong(where + ": server has a query");
  if (IsSet(cluster, "insecure-skip-tls-verify"))
    return Wrong(where + ": insecure-skip-tls-verify is not supported: name its CA");
  if (IsSet(cluster, "proxy-url")) return Wrong(where + ": proxy-url is not supported");
  config->server = *uri;
  config->tls_server_name = cluster.StringAt({"tls-server-name"});
  return ReadSource(cluster, where, "certificate-authority", &config->ca);
}

Status Kubeconfig::ReadUser(const Json& user, const std::string& where,
                            ClusterConfig* config) const {
  for (const char* name : {"exec", "auth-provider", "username", "password", "as", "as-uid",
                           "as-groups", "as-user-extra"}) {
    if (IsSet(user, name)) return Wrong(where + ": " + name + " is not supported");
  }
  Status read = ReadSource(user, where, "client-certificate", &config->client_certificate);
  if (read.ok()) read = ReadSource(user, where, "client-key", &config->client_key);
  if (!read.ok()) return read;
  if (config->client_certificate.empty() != config->client_key.empty())
    return Wrong(where + ": a client certificate and its key are used together or not at all");
  // As kubectl has it: the file wins over the token.
  const std::string_view path = user.StringAt({"tokenFile"});
  if (!path.empty()) {
    config->token.path = Below(path);
  } else {
    config->token.bytes = user.StringAt({"token"});
  }
  return Status::Ok();
}

Result<ClusterConfig> Kubeconfig::Read(const std::string& context) const {
  const std::string name =
      context.empty() ? std::string(root_.StringAt({"current-context"})) : context;
  if (name.empty()) return Wrong("it has no current-context");
  const Result<Json> chosen = Entry("context", name);
  if (!chosen.ok()) return chosen.status();
  const std::string where = "context \"" + name + "\"";
  const std::string cluster_name(chosen->StringAt({"cluster"}));
  if (cluster_name.empty()) return Wrong(where + " names no cluster");
  const Result<Json> cluster = Entry("cluster", cluster_name);
  if (!cluster.ok()) return cluster.status();
  ClusterConfig config;
  ASYNCOPS_RETURN_IF_ERROR(ReadCluster(*cluster, "cluster \"" + cluster_name + "\"", &config));
  const std::string user_name(chosen->StringAt({"user"}));
  if (user_name.empty()) return Wrong(where + " names no user");
  const Result<Json> user = Entry("user", user_name);
  if (!user.ok()) return user.status();
  ASYNCOPS_RETURN_IF_ERROR(ReadUser(*user, "user \"" + user_name + "\"", &config));
  if (const std::string_view own = chosen->StringAt({"namespace"}); !own.empty())
    config.namespace_name = own;
  return config;
}

Status MissingFile(const std::string& path) {
  return BadRequest("this is no pod of a cluster: " + path + " is missing");
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace

Result<ClusterConfig> ReadKubeconfig(const std::string& path, const std::string& context) {
  Result<std::string> text = ReadFile(path, "kubeconfig");
  if (!text.ok()) return text.status();
  Result<std::vector<Json>> documents = ParseYaml(*text);
  if (!documents.ok())
    return BadRequest("kubeconfig " + path + ": " + documents.status().message());
  if (documents->size() != 1 || !documents->front().is_object())
    return BadRequest("kubeconfig " + path + ": it is no single object");
  return Kubeconfig(path, std::move(documents->front())).Read(context);
}

Result<ClusterConfig> InClusterConfig(const PodEnvironment& pod) {
  if (pod.host.empty() || pod.port.empty()) {
    return BadRequest(
        "this is no pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not "
        "set");
  }
  const std::optional<std::int64_t> port = ParseInt64(pod.port);
  const bool ipv6 = pod.host.find(':') != std::string::npos && !pod.host.starts_with('[');
  const std::optional<Uri> server =
      port && *port > 0 && *port <= kMaxPort
          ? ParseUri("https://" + (ipv6 ? "[" + pod.host + "]" : pod.host) + ":" + pod.port)
          : std::nullopt;
  if (!server) {
    return BadRequest("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no server: " +
                      pod.host + " and " + pod.port);
  }
  ClusterConfig config;
  config.server = *server;
  config.token.path = pod.directory + "/token";
  config.ca.path = pod.directory + "/ca.crt";
  for (const std::string* path : {&config.token.path, &config.ca.path}) {
    if (!IsFile(*path)) return MissingFile(*path);
  }
  const std::string namespace_path = pod.directory + "/namespace";
  if (!IsFile(namespace_path)) return MissingFile(namespace_path);
  Result<std::string> name = ReadFile(namespace_path, "the namespace");
  if (!name.ok()) return name.status();
  const std::size_t end = name->find_last_not_of(" \r\n\t");
  if (end == std::string::npos) return BadRequest("the namespace " + namespace_path + " is empty");
  config.namespace_name = name->substr(0, end + 1);
  return config;
}

}  // namespace asyncops::kube
