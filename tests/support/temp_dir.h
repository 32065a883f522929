// A directory of one test's own.
#ifndef ASYNCOPS_TESTS_SUPPORT_TEMP_DIR_H_
#define ASYNCOPS_TESTS_SUPPORT_TEMP_DIR_H_

#include <string>
#include <string_view>

namespace asyncops {

// Made by the constructor under the system's directory for temporary files, readable by its owner
// only; removed with all that is in it by the destructor. Ends the process where it cannot be made.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  // Absolute, without a slash at the end.
  const std::string& path() const { return path_; }
  // The path of a file in it, which need not exist.
  std::string File(std::string_view name) const;
  // Writes a file in it, replacing one of that name, and returns its path.
  std::string Write(std::string_view name, std::string_view content) const;

 private:
  std::string path_;
};

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_TEMP_DIR_H_
