#include "kube/file_bytes.h"

#include <array>
#include <fstream>

namespace asyncops::kube {
namespace {

// A CA bundle of a large company has some hundred KiB.
constexpr std::size_t kMaxBytes = 4u * 1024 * 1024;

}  // namespace

Result<std::string> ReadFileBytes(const std::string& path, std::string_view what) {
  const std::string name = std::string(what) + " " + path;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  std::array<char, 16384> piece{};
  while (file && bytes.size() <= kMaxBytes) {
    file.read(piece.data(), piece.size());
    bytes.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (bytes.size() > kMaxBytes) return BadRequest(name + " is too large");
  if (!file.eof() || file.bad()) return BadRequest(name + " cannot be read");
  return bytes;
}

}  // namespace asyncops::kube
