#include "apiserver/handlers/audit_log.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/limits.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

// How often a writer that waits for a reader sees whether it is to stop, and how often it then
// looks again.
constexpr int kLookMs = 100;
constexpr int kLastLooks = 10;

constexpr std::string_view kStandardOutput = "-";

// A descriptor to append to; negative with errno where there is none.
int OpenToAppend(const std::string& path) {
  if (path == kStandardOutput) return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path) {
  const int descriptor = OpenToAppend(path);
  if (descriptor < 0)
    return BadRequest("cannot open --audit-log-path " + path + ": " + std::strerror(errno));
  return std::unique_ptr<AuditLog>(new AuditLog(path, descriptor));
}

AuditLog::AuditLog(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), thread_([this] { Run(); }) {}

AuditLog::~AuditLog() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
  close(descriptor_);
}

void AuditLog::Reopen() {
  if (path_ == kStandardOutput) return;
  {
    const MutexLock lock(mutex_);
    reopens_ = true;
  }
  changed_.NotifyOne();
}

void AuditLog::OpenAnew() {
  const int descriptor = OpenToAppend(path_);
  if (descriptor < 0) {
    Log(LogLevel::kWarning, "the audit log was not opened anew",
        {{"path", path_}, {"reason", std::strerror(errno)}});
    return;
  }
  close(std::exchange(descriptor_, descriptor));
}

void AuditLog::Write(std::string_view line) {
  bool wakes = false;
  bool first = false;
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() + line.size() <= kMaxAuditWaitingBytes) {
      wakes = waiting_.empty();
      waiting_.append(line);
    } else {
      first = !std::exchange(failed_, true);
      dropped_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (wakes) changed_.NotifyOne();
  if (first) Log(LogLevel::kWarning, "audit lines are dropped", {{"reason", "too many wait"}});
}

bool AuditLog::AwaitRoom() {
  for (int looks = 0;;) {
    pollfd waited{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    const int ready = poll(&waited, 1, kLookMs);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    const MutexLock lock(mutex_);
    if (stopping_ && ++looks == kLastLooks) {
      errno = ETIMEDOUT;
      return false;
    }
  }
}

bool AuditLog::WriteOut(std::string_view text) {
  while (!text.empty()) {
    if (!AwaitRoom()) return false;
    // So much a pipe that has room takes without blocking.
    const ssize_t written =
        write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void AuditLog::Run() {
  std::string text;
  while (true) {
    bool reopens = false;
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !stopping_ && !reopens_) changed_.Wait(mutex_);
      if (waiting_.empty() && !reopens_) return;
      reopens = std::exchange(reopens_, false);
      text.clear();
      std::swap(text, waiting_);
    }
    if (reopens) OpenAnew();
    if (text.empty()) continue;
    const bool written = WriteOut(text);
    const int error = errno;
    bool first = false;
    {
      const MutexLock lock(mutex_);
      first = !std::exchange(failed_, !written) && !written;
    }
    if (written) continue;
    dropped_.fetch_add(std::count(text.begin(), text.end(), '\n'), std::memory_order_relaxed);
    if (first)
      Log(LogLevel::kWarning, "audit lines are dropped", {{"reason", std::strerror(error)}});
  }
}

}  // namespace asyncops::apiserver
