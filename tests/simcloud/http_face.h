// The simulated cloud on HTTP. The adapter of Pistache is http_face.cc.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_HTTP_FACE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_HTTP_FACE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "tests/simcloud/delay_queue.h"
#include "tests/simcloud/service.h"

namespace asyncops::simcloud {

// A server that runs from Start until it is destroyed; it has threads of its own.
class HttpFace {
 public:
  // Serves on a loopback address (with or without brackets for IPv6; port 0: any). InternalError in
  // one sentence where the address cannot be bound. Service and queue must outlive the result.
  static Result<std::unique_ptr<HttpFace>> Start(const std::string& address, std::uint16_t port,
                                                 Service& service, DelayQueue& delays);
  ~HttpFace();
  HttpFace(const HttpFace&) = delete;
  HttpFace& operator=(const HttpFace&) = delete;

  // "http://127.0.0.1:40123"
  const std::string& url() const;

 private:
  struct Impl;
  explicit HttpFace(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_HTTP_FACE_H_
