// Where the server listens, as a URL.
#ifndef ASYNCOPS_APISERVER_CMD_LISTEN_URL_H_
#define ASYNCOPS_APISERVER_CMD_LISTEN_URL_H_

#include <string>

#include "apiserver/cmd/options.h"

namespace asyncops {

// "https://127.0.0.1:6443". Where it listens on every address, one by which this machine reaches
// it.
std::string ListenUrl(const ServeOptions& options, int port);

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_LISTEN_URL_H_
