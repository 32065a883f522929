#include "apiserver/cmd/listen_url.h"

namespace asyncops {

std::string ListenUrl(const ServeOptions& options, int port) {
  const bool any = options.bind_address == "0.0.0.0" || options.bind_address == "::";
  std::string host = any ? "127.0.0.1" : options.bind_address;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return "https://" + host + ":" + std::to_string(port);
}

}  // namespace asyncops
