// Small helpers for tests of the store's file.
#ifndef ASYNCOPS_TESTS_UNIT_STORAGE_STORE_FILES_H_
#define ASYNCOPS_TESTS_UNIT_STORAGE_STORE_FILES_H_

#include <memory>
#include <string>

#include "storage/store.h"

namespace asyncops::storage {

// A store of "things"; the revision is in the object, the text beside it.
Status CreateThing(Store& store, const std::string& name, const std::string& text = "x");
Status UpdateThing(Store& store, const std::string& name, const std::string& text);
Status DeleteThing(Store& store, const std::string& name);
ObjectKey ThingKey(const std::string& name);

// The bytes of a file; "" where there is none.
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);
bool FileExists(const std::string& path);
// Runs SQL on the file as a foreign tool would; its first value.
std::string RunSql(const std::string& path, const std::string& sql);

}  // namespace asyncops::storage

#endif  // ASYNCOPS_TESTS_UNIT_STORAGE_STORE_FILES_H_
