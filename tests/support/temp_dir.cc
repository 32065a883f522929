#include "tests/support/temp_dir.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace asyncops {
namespace {

[[noreturn]] void Die(const std::string& what) {
  std::perror(what.c_str());
  std::abort();
}

}  // namespace

TempDir::TempDir() {
  std::error_code error;
  const std::filesystem::path root = std::filesystem::temp_directory_path(error);
  if (error) Die("no directory for temporary files");
  path_ = (root / "asyncops-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) Die("cannot make " + path_);
}

TempDir::~TempDir() {
  std::error_code ignored;  // a file left behind is no reason to fail a test
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::File(std::string_view name) const { return path_ + "/" + std::string(name); }

std::string TempDir::Write(std::string_view name, std::string_view content) const {
  const std::string path = File(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) Die("cannot write " + path);
  return path;
}

}  // namespace asyncops
