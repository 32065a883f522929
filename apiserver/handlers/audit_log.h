// Where audit lines go: a file or standard output, written by a thread of its own, so that a slow
// disk holds up no request.
#ifndef ASYNCOPS_APISERVER_HANDLERS_AUDIT_LOG_H_
#define ASYNCOPS_APISERVER_HANDLERS_AUDIT_LOG_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/status.h"

namespace asyncops::apiserver {

// Safe for use from several threads.
class AuditLog {
 public:
  // Appends to the file at `path`, made with mode 0600 where it is missing; "-" is standard output.
  // BadRequest where it cannot be opened.
  static Result<std::unique_ptr<AuditLog>> Open(const std::string& path);
  // Writes what is waiting, then closes. Does not wait for a reader who reads nothing for a second.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Takes a line, which ends with a new line. Does not block: where too much is waiting for the
  // disk, or the disk has failed, the line is dropped, counted, and the first of a row is logged.
  void Write(std::string_view line);
  // Opens the path anew before the next line: the file was moved away. Where it cannot be opened
  // the lines go on into the one that is open, and that is logged. Does not block; standard output
  // stays as it is.
  void Reopen();
  // Lines that were dropped.
  std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  AuditLog(std::string path, int descriptor);

  void Run();
  void OpenAnew();
  // Both are false with errno where the disk refuses, or where a reader keeps the end waiting.
  bool WriteOut(std::string_view text);
  bool AwaitRoom() ASYNCOPS_EXCLUDES(mutex_);

  const std::string path_;
  int descriptor_;  // the thread's, once it runs
  std::atomic<std::int64_t> dropped_{0};
  Mutex mutex_;
  CondVar changed_;
  std::string waiting_ ASYNCOPS_GUARDED_BY(mutex_);
  bool failed_ ASYNCOPS_GUARDED_BY(mutex_) = false;  // the last write; told once
  bool reopens_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  bool stopping_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_AUDIT_LOG_H_
