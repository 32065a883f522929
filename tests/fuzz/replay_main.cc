// Runs a target on each file of the directories given, and on each of its prefixes up to a bound:
// what a fuzzer found once stays found.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace {

constexpr std::size_t kPrefixes = 512;

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void RunPrefixes(const std::string& input) {
  asyncops::fuzz::Run(input);
  for (std::size_t size = 0; size < std::min(input.size(), kPrefixes); ++size)
    asyncops::fuzz::Run(std::string_view(input).substr(0, size));
}

}  // namespace

int main(int count, char** arguments) {
  int files = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      std::cerr << entry.path().filename().string() << "\n";
      RunPrefixes(ReadAll(entry.path()));
      ++files;
    }
  }
  if (files > 0) return 0;
  std::cerr << "no file to replay\n";
  return 1;
}
