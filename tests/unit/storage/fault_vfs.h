// A SQLite VFS that can fail: it hands everything to the operating system's and fails what it is
// told to. It does not really sync: the tests that use it end no process, and a sweep is some
// thousand syncs.
#ifndef ASYNCOPS_TESTS_UNIT_STORAGE_FAULT_VFS_H_
#define ASYNCOPS_TESTS_UNIT_STORAGE_FAULT_VFS_H_

#include <atomic>
#include <memory>
#include <string>

namespace asyncops::storage {

enum class DiskFault {
  kNoSpace,     // ENOSPC on writes that make a file longer
  kWriteError,  // EIO on writes
  kSyncError,   // EIO on fsync
};

// Registered under its name while it exists; the stores that use it end first. Thread-safe.
class FaultVfs {
 public:
  explicit FaultVfs(std::string name);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  // Lets `calls` writes and syncs pass, then fails with the fault: once, or until Heal.
  void Break(DiskFault fault, int calls = 0, bool once = false);
  void Heal() { armed_ = false; }
  // Whether a fault was met since Break.
  bool met() const { return met_; }

  // For the file methods: the SQLite code of a call, 0 to pass it on.
  int OnWrite(bool grows);
  int OnSync();

  struct Registration;

 private:
  bool Counts();
  int Meet(int code);

  const std::string name_;
  std::atomic<bool> armed_ = false;
  std::atomic<DiskFault> fault_ = DiskFault::kNoSpace;
  std::atomic<int> pass_ = 0;
  std::atomic<bool> once_ = false;
  std::atomic<bool> met_ = false;
  std::unique_ptr<Registration> registration_;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_TESTS_UNIT_STORAGE_FAULT_VFS_H_
