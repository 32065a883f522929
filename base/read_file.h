// A small file of somebody else's, read whole.
#ifndef ASYNCOPS_BASE_READ_FILE_H_
#define ASYNCOPS_BASE_READ_FILE_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace asyncops {

// The bytes of a file of at most 4 MiB. `what` says what the file is, "the token": BadRequest says
// "WHAT PATH cannot be read: " and the system's reason, or that it is too large. Blocks.
Result<std::string> ReadFile(const std::string& path, std::string_view what);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_READ_FILE_H_
