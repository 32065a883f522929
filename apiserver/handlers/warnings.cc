#include "apiserver/handlers/warnings.h"

#include <algorithm>
#include <cstddef>

namespace asyncops::apiserver {
namespace {

constexpr std::size_t kMaxTotal = 4096;
constexpr std::size_t kMaxEach = 256;

// In quotes, with what a header may not hold left out.
std::string Quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f)
      out.push_back(c);
  }
  return out + "\"";
}

}  // namespace

void AddWarnings(const std::vector<std::string>& warnings, http::Response* response) {
  std::vector<std::string> sent;
  std::size_t total = 0;
  for (const std::string& warning : warnings) {
    const std::string text = warning.substr(0, kMaxEach);
    if (std::find(sent.begin(), sent.end(), text) != sent.end()) continue;
    total += text.size();
    if (total > kMaxTotal) return;
    response->headers.Add("Warning", "299 - " + Quote(text));
    sent.push_back(text);
  }
}

}  // namespace asyncops::apiserver
