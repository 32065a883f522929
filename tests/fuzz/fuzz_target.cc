#include "tests/fuzz/fuzz_target.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace asyncops::fuzz {

void Hold(bool promise, std::string_view what) {
  if (promise) return;
  std::cerr << "broken promise: " << what << "\n";
  std::abort();
}

Split SplitLine(std::string_view input) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return {.first = input, .rest = {}};
  return {.first = input.substr(0, end), .rest = input.substr(end + 1)};
}

}  // namespace asyncops::fuzz

// libFuzzer's entry.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  asyncops::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
