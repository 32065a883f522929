// Where kube-apiserver is, and as whom it is called.
#ifndef ASYNCOPS_KUBE_CLUSTER_CONFIG_H_
#define ASYNCOPS_KUBE_CLUSTER_CONFIG_H_

#include <string>

#include "base/status.h"
#include "base/uri.h"

namespace asyncops::kube {

// A value. Of each credential either the bytes or the path of a file, which is read again while the
// process runs (a service account's token and CA change under it); "" where there is none.
struct ClusterConfig {
  struct Source {
    std::string path;   // wins where both are set
    std::string bytes;  // PEM, or the token

    bool empty() const { return path.empty() && bytes.empty(); }
  };

  Uri server;
  Source ca;                    // of kube-apiserver; empty means the system's CAs
  std::string tls_server_name;  // verified instead of the host; "" for the host
  Source client_certificate;
  Source client_key;
  Source token;
  std::string namespace_name = "default";  // of the context, or of the pod
};

// The current context (or `context`) of a kubeconfig file; relative paths are below its folder.
// BadRequest names the file, the entry and what is wrong: unreadable, no such context, cluster or
// user, no https URL, insecure-skip-tls-verify, and what is not supported (exec and auth-provider
// plugins, proxy-url, username and password, impersonation).
Result<ClusterConfig> ReadKubeconfig(const std::string& path, const std::string& context = "");

// The pod's own: KUBERNETES_SERVICE_HOST and _PORT, and the service account's files below
// `directory`. BadRequest says that this is no pod, or which file is missing.
struct PodEnvironment {
  std::string host;  // of the environment variables; "" where they are not set
  std::string port;
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};
Result<ClusterConfig> InClusterConfig(const PodEnvironment& pod);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CLUSTER_CONFIG_H_
