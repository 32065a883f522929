// What a store has on disk, for tests of what must not be there.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_STORE_BYTES_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_STORE_BYTES_H_

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_dir.h"

namespace asyncops::reconciler {

// All bytes of the store's files in this directory of an EngineWorld.
inline std::string StoreBytes(const TempDir& directory) {
  std::string bytes;
  for (const char* name : {"store.db", "store.db-wal"}) {
    std::ifstream file(directory.File(name), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return bytes;
}

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_STORE_BYTES_H_
