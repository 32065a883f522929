// A small file of somebody else's, read whole.
#ifndef ASYNCOPS_KUBE_FILE_BYTES_H_
#define ASYNCOPS_KUBE_FILE_BYTES_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace asyncops::kube {

// BadRequest that says "WHAT PATH cannot be read" (a folder cannot), or is beyond 4 MiB.
Result<std::string> ReadFileBytes(const std::string& path, std::string_view what);

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_FILE_BYTES_H_
