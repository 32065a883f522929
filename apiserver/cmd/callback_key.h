// The key that the tokens of callback URLs are made with.
#ifndef ASYNCOPS_APISERVER_CMD_CALLBACK_KEY_H_
#define ASYNCOPS_APISERVER_CMD_CALLBACK_KEY_H_

#include <string>

#include "base/status.h"

namespace asyncops {

// 32 bytes, kept in DATA_DIR/callback.key (mode 0600); made where there is none. A file that holds
// anything else is refused by name: a new key would make the URLs of operations in flight useless.
Result<std::string> LoadCallbackKey(const std::string& data_dir);

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_CALLBACK_KEY_H_
