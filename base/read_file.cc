#include "base/read_file.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace asyncops {
namespace {

// A CA bundle of a large company has some hundred KiB.
constexpr std::size_t kMaxBytes = 4u * 1024 * 1024;

Status Unreadable(const std::string& name, int error) {
  return BadRequest(name + " cannot be read: " + std::generic_category().message(error));
}

Result<std::string> ReadAll(int file, const std::string& name) {
  std::string bytes;
  std::array<char, 16384> piece{};
  while (true) {
    const ssize_t got = read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unreadable(name, errno);
    if (got == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
    if (bytes.size() > kMaxBytes) return BadRequest(name + " is too large");
  }
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::string_view what) {
  const std::string name = std::string(what) + " " + path;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Unreadable(name, errno);
  Result<std::string> bytes = ReadAll(file, name);
  close(file);
  return bytes;
}

}  // namespace asyncops
