#include "storage/sqlite/reader_pool.h"

#include <utility>

#include "storage/sqlite/database_file.h"

namespace asyncops::storage {

namespace {

// What lookups found: 10,000 names of 20 characters take a third of a MiB.
constexpr std::size_t kMaxMatchedBytes = 8u * 1024 * 1024;

}  // namespace

Reader::Reader(std::unique_ptr<Database> database, const Resources& resources, MatchedCache& cache)
    : database_(std::move(database)),
      objects_(*database_, resources, cache),
      operations_(*database_),
      mailbox_(*database_) {}

ReaderPool::Lease::Lease(ReaderPool& pool, std::unique_ptr<Reader> reader)
    : pool_(pool), reader_(std::move(reader)) {}

ReaderPool::Lease::~Lease() { pool_.Return(std::move(reader_)); }

ReaderPool::ReaderPool() : matched_(kMaxMatchedBytes) {}

Result<std::unique_ptr<ReaderPool>> ReaderPool::Open(const std::string& path,
                                                     const std::string& vfs,
                                                     const Resources& resources, int count) {
  auto pool = std::make_unique<ReaderPool>();
  for (int i = 0; i < count; ++i) {
    auto database = OpenReadConnection(path, vfs);
    if (!database.ok()) return database.status();
    pool->Return(std::make_unique<Reader>(std::move(*database), resources, pool->matched_));
  }
  return pool;
}

ReaderPool::Lease ReaderPool::Take() {
  const MutexLock lock(mutex_);
  while (free_.empty()) returned_.Wait(mutex_);
  // The one that was used last has the warmest pages.
  std::unique_ptr<Reader> reader = std::move(free_.back());
  free_.pop_back();
  reader->use_ = Reader::Use::kSince;
  return {*this, std::move(reader)};
}

bool ReaderPool::ReleaseUnused() {
  const MutexLock lock(mutex_);
  bool released = false;
  for (const std::unique_ptr<Reader>& reader : free_) {
    if (reader->use_ == Reader::Use::kBefore) {
      reader->database().ReleaseMemory();
      released = true;
    }
    reader->use_ = reader->use_ == Reader::Use::kSince ? Reader::Use::kBefore : Reader::Use::kNone;
  }
  return released;
}

Fault ReaderPool::fault() const {
  const MutexLock lock(mutex_);
  return fault_;
}

void ReaderPool::Return(std::unique_ptr<Reader> reader) {
  const Fault fault = reader->database().fault();
  const MutexLock lock(mutex_);
  if (fault == Fault::kDamaged || fault == Fault::kBroken) fault_ = fault;
  free_.push_back(std::move(reader));
  returned_.NotifyOne();
}

}  // namespace asyncops::storage
