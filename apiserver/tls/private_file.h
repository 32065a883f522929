// Files that hold keys: written whole or not at all.
#ifndef ASYNCOPS_APISERVER_TLS_PRIVATE_FILE_H_
#define ASYNCOPS_APISERVER_TLS_PRIVATE_FILE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace asyncops::tls {

// The file's bytes; nothing where there is no such file. InternalError names the file and the
// system's reason, also where it is no regular file or larger than 1 MiB.
Result<std::optional<std::string>> ReadFileIfExists(const std::string& path);

// Replaces the file in one step: a reader, and a machine that loses power, sees the old bytes or
// the new ones. `mode` is set before a byte is written. InternalError names the file.
Status WriteFileAtomically(const std::string& path, std::string_view bytes, int mode);

// Makes the directory (0700) and what is missing above it.
Status MakePrivateDirectory(const std::string& path);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_PRIVATE_FILE_H_
