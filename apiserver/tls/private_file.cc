#include "apiserver/tls/private_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace asyncops::tls {
namespace {

constexpr std::size_t kMaxFileBytes = 1024u * 1024;
constexpr int kPrivateDirectoryMode = 0700;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

Status FileError(std::string_view doing, const std::string& path) {
  const int code = errno;
  return InternalError(std::string(doing) + " " + path + ": " +
                       std::system_category().message(code));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string Parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::optional<std::string>> ReadFileIfExists(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno == ENOENT) return std::optional<std::string>();
  if (file.get() < 0) return FileError("open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return FileError("read", path);
  if (!S_ISREG(info.st_mode)) return InternalError("read " + path + ": not a regular file");
  std::string bytes;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("read", path);
    if (count == 0) return std::optional<std::string>(std::move(bytes));
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.size() > kMaxFileBytes) return InternalError("read " + path + ": larger than 1 MiB");
  }
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes, int mode) {
  // One writer at a time (the data directory is locked), so that a fixed name does: a left-over is
  // written over.
  const std::string temporary = path + ".tmp";
  ::unlink(temporary.c_str());
  {
    const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                 static_cast<mode_t>(mode)));
    if (file.get() < 0) return FileError("create", temporary);
    if (!WriteAll(file.get(), bytes) || ::fsync(file.get()) != 0) {
      return FileError("write", temporary);
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return FileError("replace", path);
  const std::string parent = Parent(path);
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) return FileError("sync", parent);
  return Status::Ok();
}

Status MakePrivateDirectory(const std::string& path) {
  if (::mkdir(path.c_str(), kPrivateDirectoryMode) == 0) return Status::Ok();
  if (errno == EEXIST) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Status::Ok();
    errno = ENOTDIR;
  }
  if (errno != ENOENT) return FileError("make directory", path);
  const std::string parent = Parent(path);
  if (parent == path || parent == ".") return FileError("make directory", path);
  if (Status status = MakePrivateDirectory(parent); !status.ok()) return status;
  if (::mkdir(path.c_str(), kPrivateDirectoryMode) != 0) return FileError("make directory", path);
  return Status::Ok();
}

}  // namespace asyncops::tls
