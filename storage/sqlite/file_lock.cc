#include "storage/sqlite/file_lock.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace asyncops::storage {
namespace {

std::string ReadHolder(int fd) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  std::string digits;
  for (ssize_t i = 0; i < size; ++i) {
    const char c = text.at(static_cast<std::size_t>(i));
    if (c < '0' || c > '9') break;
    digits.push_back(c);
  }
  return digits;
}

}  // namespace

Result<std::unique_ptr<FileLock>> FileLock::Take(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Status(Reason::kServiceUnavailable,
                  "cannot open " + path + ": " + std::generic_category().message(errno));
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = ReadHolder(fd);
    ::close(fd);
    return Status(Reason::kServiceUnavailable,
                  "another process" + (holder.empty() ? "" : " (pid " + holder + ")") +
                      " has it open: stop that one first, or use another directory");
  }
  // The id is for the other's message only; the lock does not depend on it.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0)
    return std::unique_ptr<FileLock>(new FileLock(fd));
  return std::unique_ptr<FileLock>(new FileLock(fd));
}

FileLock::~FileLock() { ::close(fd_); }

}  // namespace asyncops::storage
