// A plain or TLS server on a free port, before a ScriptedHandler.
#ifndef ASYNCOPS_TESTS_INTEGRATION_HTTP_SERVER_FIXTURE_H_
#define ASYNCOPS_TESTS_INTEGRATION_HTTP_SERVER_FIXTURE_H_

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "apiserver/http/server.h"
#include "apiserver/tls/ca.h"
#include "tests/integration/http/http_client.h"
#include "tests/integration/http/scripted_handler.h"

namespace asyncops::http {

inline std::string Get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

class ServerFixture : public testing::Test {
 protected:
  ServerFixture() { options_.tls = false; }

  void Start() {
    auto server = StartServer(options_, certificate_, handler_);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
  }
  std::uint16_t port() const { return server_->port(); }
  // What a client on its own connection gets for these bytes; the connection's end is awaited.
  std::string Exchange(const std::string& bytes) {
    HttpClient client(port());
    client.Send(bytes);
    return client.ReadToEnd();
  }
  // Whether a fresh client is served.
  bool Serves() {
    HttpClient client(port());
    client.Send(Get("/echo"));
    return client.Read().status == 200;
  }

  ScriptedHandler handler_;
  ServerOptions options_;
  ServingCertificate certificate_;
  std::unique_ptr<Server> server_;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_TESTS_INTEGRATION_HTTP_SERVER_FIXTURE_H_
