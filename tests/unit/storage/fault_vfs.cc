#include "tests/unit/storage/fault_vfs.h"

#include <new>
#include <sqlite3.h>
#include <utility>

namespace asyncops::storage {
namespace {

// A file of ours; the real one stands behind it in the memory that SQLite gives.
struct FaultFile {
  sqlite3_file base;
  FaultVfs* owner;
  sqlite3_file* real;
};

FaultFile* Ours(sqlite3_file* file) { return static_cast<FaultFile*>(static_cast<void*>(file)); }
sqlite3_file* Real(sqlite3_file* file) { return Ours(file)->real; }

int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }
int Read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  return Real(file)->pMethods->xRead(Real(file), to, size, at);
}
int Write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  sqlite3_int64 length = 0;
  Real(file)->pMethods->xFileSize(Real(file), &length);
  if (const int code = Ours(file)->owner->OnWrite(at + size > length); code != SQLITE_OK)
    return code;
  return Real(file)->pMethods->xWrite(Real(file), from, size, at);
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  return Real(file)->pMethods->xTruncate(Real(file), size);
}
int Sync(sqlite3_file* file, int /*flags*/) { return Ours(file)->owner->OnSync(); }
int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}
int Lock(sqlite3_file* file, int level) { return Real(file)->pMethods->xLock(Real(file), level); }
int Unlock(sqlite3_file* file, int level) {
  return Real(file)->pMethods->xUnlock(Real(file), level);
}
int CheckReserved(sqlite3_file* file, int* result) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), result);
}
int Control(sqlite3_file* file, int op, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), op, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int Characteristics(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
}
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, memory);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int remove) {
  return Real(file)->pMethods->xShmUnmap(Real(file), remove);
}

// Version 2: with shared memory, without memory-mapped reads.
const sqlite3_io_methods kMethods = {
    2,        Close,         Read,    Write,      Truncate,        Sync,   FileSize, Lock,
    Unlock,   CheckReserved, Control, SectorSize, Characteristics, ShmMap, ShmLock,  ShmBarrier,
    ShmUnmap, nullptr,       nullptr};

}  // namespace

struct FaultVfs::Registration {
  sqlite3_vfs vfs;
  sqlite3_vfs* real;
  FaultVfs* owner;
};

namespace {

int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* registration = static_cast<FaultVfs::Registration*>(vfs->pAppData);
  auto* ours = new (file) FaultFile{};
  ours->owner = registration->owner;
  ours->real = static_cast<sqlite3_file*>(static_cast<void*>(ours + 1));
  const int code = registration->real->xOpen(registration->real, name, ours->real, flags, out);
  ours->base.pMethods = ours->real->pMethods == nullptr ? nullptr : &kMethods;
  return code;
}

}  // namespace

FaultVfs::FaultVfs(std::string name)
    : name_(std::move(name)), registration_(std::make_unique<Registration>()) {
  registration_->real = sqlite3_vfs_find(nullptr);
  registration_->owner = this;
  registration_->vfs = *registration_->real;
  registration_->vfs.szOsFile += static_cast<int>(sizeof(FaultFile));
  registration_->vfs.zName = name_.c_str();
  registration_->vfs.pAppData = registration_.get();
  registration_->vfs.xOpen = Open;
  sqlite3_vfs_register(&registration_->vfs, 0);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&registration_->vfs); }

void FaultVfs::Break(DiskFault fault, int calls, bool once) {
  fault_ = fault;
  pass_ = calls;
  once_ = once;
  met_ = false;
  armed_ = true;
}

bool FaultVfs::Counts() { return armed_ && pass_-- <= 0; }

int FaultVfs::Meet(int code) {
  met_ = true;
  if (once_) armed_ = false;
  return code;
}

int FaultVfs::OnWrite(bool grows) {
  if (!Counts()) return SQLITE_OK;
  if (fault_ == DiskFault::kNoSpace && grows) return Meet(SQLITE_FULL);
  if (fault_ == DiskFault::kWriteError) return Meet(SQLITE_IOERR_WRITE);
  return SQLITE_OK;
}

int FaultVfs::OnSync() {
  if (!Counts() || fault_ != DiskFault::kSyncError) return SQLITE_OK;
  return Meet(SQLITE_IOERR_FSYNC);
}

}  // namespace asyncops::storage
