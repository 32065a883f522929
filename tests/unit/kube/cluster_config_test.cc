#include "kube/cluster_config.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/json.h"
#include "tests/support/temp_dir.h"

namespace asyncops::kube {
namespace {

class ClusterConfigTest : public testing::Test {
 protected:
  // The refusal, its directory written as DIR.
  std::string Refusal(const Result<ClusterConfig>& config) const {
    std::string text = config.status().ToString();
    for (std::size_t at = 0; (at = text.find(dir_.path())) != std::string::npos;)
      text.replace(at, dir_.path().size(), "DIR");
    return text;
  }
  // A kubeconfig of one context with this cluster and user.
  Result<ClusterConfig> Read(const std::string& cluster, const std::string& user) const {
    return ReadKubeconfig(dir_.Write("config",
                                     "current-context: c\n"
                                     "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                                     "clusters: [{name: k, cluster: {" +
                                         cluster +
                                         "}}]\n"
                                         "users: [{name: u, user: {" +
                                         user + "}}]\n"));
  }

  TempDir dir_;
};

constexpr const char* kServer = "server: 'https://kube.example:6443'";

TEST_F(ClusterConfigTest, AKubeconfigIsReadAsKubectlDoes) {
  const std::string path = dir_.Write("config", R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: here
contexts:
- name: there
  context: {cluster: far, user: nobody}
- name: here
  context: {cluster: near, user: me, namespace: team-a}
clusters:
- name: near
  cluster:
    server: https://10.0.0.1:6443/base
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
    insecure-skip-tls-verify: false
    proxy-url: ""
- name: far
  cluster: {server: 'https://far.example', certificate-authority-data: )" +
                                                    Base64Encode("CA\nbytes\xff") + R"(}
users:
- name: me
  user:
    client-certificate: /abs/me.crt
    client-key-data: )" + Base64Encode("KEY") + R"(
    client-key: ignored.key
- name: nobody
  user: {token: "t", username: ""}
)");
  const ClusterConfig config = *ReadKubeconfig(path);
  EXPECT_EQ(config.server.ToString(), "https://10.0.0.1:6443/base");
  EXPECT_EQ(config.ca.path, dir_.File("pki/ca.crt")) << "relative to the file's folder";
  EXPECT_EQ(config.tls_server_name, "kubernetes");
  EXPECT_EQ(config.client_certificate.path, "/abs/me.crt");
  EXPECT_EQ(config.client_key.bytes, "KEY");
  EXPECT_EQ(config.client_key.path, "") << "the data win";
  EXPECT_TRUE(config.token.empty());
  EXPECT_EQ(config.namespace_name, "team-a");
  const ClusterConfig other = *ReadKubeconfig(path, "there");
  EXPECT_EQ(other.server.Origin(), "https://far.example:443");
  EXPECT_EQ(other.ca.bytes, "CA\nbytes\xff");
  EXPECT_EQ(other.token.bytes, "t");
  EXPECT_EQ(other.namespace_name, "default");
}

TEST_F(ClusterConfigTest, JsonIsAKubeconfigTooAndATokenFileWinsOverAToken) {
  const std::string path = dir_.Write("config", R"({"current-context":"c",
    "contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
    "clusters":[{"name":"k","cluster":{"server":"https://kube.example"}}],
    "users":[{"name":"u","user":{"token":"old","tokenFile":"token"}}]})");
  const ClusterConfig config = *ReadKubeconfig(path);
  EXPECT_EQ(config.token.path, dir_.File("token"));
  EXPECT_TRUE(config.ca.empty());
}

TEST_F(ClusterConfigTest, WhatAClusterOrUserCannotBeIsRefused) {
  struct Case {
    std::string cluster;
    std::string user;
    const char* says;
  };
  const std::string server = kServer;
  const std::vector<Case> cases = {
      {"", "", "cluster \"k\": server is no https URL"},
      {"server: 'http://kube.example'", "", "cluster \"k\": server is no https URL"},
      {"server: 'https://a:b@kube.example'", "", "cluster \"k\": server is no https URL"},
      {"server: 'https://kube.example/?x=1'", "", "cluster \"k\": server has a query"},
      {server + ", insecure-skip-tls-verify: true", "",
       "cluster \"k\": insecure-skip-tls-verify is not supported: name its CA"},
      {server + ", proxy-url: 'http://p'", "", "cluster \"k\": proxy-url is not supported"},
      {server + ", certificate-authority-data: '!'", "",
       "cluster \"k\": certificate-authority-data is no base64"},
      {server + ", certificate-authority-data: 7", "",
       "cluster \"k\": certificate-authority-data is no text"},
      {server, "exec: {command: aws}", "user \"u\": exec is not supported"},
      {server, "auth-provider: {name: gcp}", "user \"u\": auth-provider is not supported"},
      {server, "username: me", "user \"u\": username is not supported"},
      {server, "password: x", "user \"u\": password is not supported"},
      {server, "as: admin", "user \"u\": as is not supported"},
      {server, "as-groups: [a]", "user \"u\": as-groups is not supported"},
      {server, "client-key-data: 'a'", "user \"u\": client-key-data is no base64"},
      {server, "client-certificate: a.crt",
       "user \"u\": a client certificate and its key are used together or not at all"},
  };
  for (const Case& item : cases)
    EXPECT_EQ(Refusal(Read(item.cluster, item.user)),
              std::string("BadRequest: kubeconfig DIR/config: ") + item.says);
  EXPECT_TRUE(Read(server, "token: x").ok());
}

TEST_F(ClusterConfigTest, ARefusalNeverShowsASecret) {
  const std::string said = Refusal(Read(kServer, "password: hunter2, token: hunter2"));
  EXPECT_EQ(said.find("hunter2"), std::string::npos) << said;
}

TEST_F(ClusterConfigTest, WhatAFileLacksIsNamed) {
  struct Case {
    const char* text;
    const char* says;
  };
  const std::vector<Case> cases = {
      {"", "it is no single object"},
      {"- a", "it is no single object"},
      {"a: 1\n---\na: 2", "it is no single object"},
      {"kind: Config", "it has no current-context"},
      {"current-context: c", "there is no context \"c\""},
      {"current-context: c\ncontexts: 7", "there is no context \"c\""},
      {"current-context: c\ncontexts: [{name: c}]", "context \"c\" holds nothing"},
      {"current-context: c\ncontexts: [{name: c, context: {user: u}}]",
       "context \"c\" names no cluster"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k}}]",
       "there is no cluster \"k\""},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
       "clusters: [{name: k, cluster: {server: 'https://a'}}]",
       "context \"c\" names no user"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
       "clusters: [{name: k, cluster: {server: 'https://a'}}]",
       "there is no user \"u\""},
  };
  for (const Case& item : cases)
    EXPECT_EQ(Refusal(ReadKubeconfig(dir_.Write("config", item.text))),
              std::string("BadRequest: kubeconfig DIR/config: ") + item.says);
  EXPECT_EQ(Refusal(ReadKubeconfig(dir_.File("none"))),
            "BadRequest: kubeconfig DIR/none cannot be read: No such file or directory");
  EXPECT_NE(Refusal(ReadKubeconfig(dir_.Write("config", "a: [")))
                .find("BadRequest: kubeconfig DIR/config: "),
            std::string::npos);
  EXPECT_EQ(Refusal(ReadKubeconfig(dir_.Write("config", "kind: Config"), "x")),
            "BadRequest: kubeconfig DIR/config: there is no context \"x\"");
}

TEST_F(ClusterConfigTest, APodFindsItsCluster) {
  dir_.Write("token", "t");
  dir_.Write("ca.crt", "c");
  dir_.Write("namespace", "asyncops-system\n");
  const ClusterConfig config = *InClusterConfig({"10.96.0.1", "443", dir_.path()});
  EXPECT_EQ(config.server.Origin(), "https://10.96.0.1:443");
  EXPECT_EQ(config.token.path, dir_.File("token"));
  EXPECT_EQ(config.ca.path, dir_.File("ca.crt"));
  EXPECT_EQ(config.namespace_name, "asyncops-system");
  EXPECT_EQ(InClusterConfig({"fd00::1", "6443", dir_.path()})->server.ToString(),
            "https://[fd00::1]:6443/");
}

TEST_F(ClusterConfigTest, WhatIsNoPodIsNamed) {
  constexpr const char* kNotSet =
      "BadRequest: this is no pod of a cluster: KUBERNETES_SERVICE_HOST and "
      "KUBERNETES_SERVICE_PORT are not set";
  EXPECT_EQ(Refusal(InClusterConfig({"", "443", dir_.path()})), kNotSet);
  EXPECT_EQ(Refusal(InClusterConfig({"10.96.0.1", "", dir_.path()})), kNotSet);
  for (const char* port : {"x", "0", "65536", "443 "}) {
    EXPECT_EQ(Refusal(InClusterConfig({"10.96.0.1", port, dir_.path()})),
              std::string("BadRequest: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no "
                          "server: 10.96.0.1 and ") +
                  port);
  }
  const PodEnvironment pod{"10.96.0.1", "443", dir_.path()};
  for (const char* name : {"token", "ca.crt", "namespace"}) {
    EXPECT_EQ(Refusal(InClusterConfig(pod)),
              std::string("BadRequest: this is no pod of a cluster: DIR/") + name + " is missing");
    dir_.Write(name, "");
  }
  EXPECT_EQ(Refusal(InClusterConfig(pod)), "BadRequest: the namespace DIR/namespace is empty");
}

}  // namespace
}  // namespace asyncops::kube
