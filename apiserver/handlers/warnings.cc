#include "apiserver/handlers/warnings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/encoding.h"
#include "base/limits.h"

namespace asyncops::apiserver {
namespace {

constexpr std::size_t kMaxTotal = 4096;
constexpr std::size_t kMaxEach = 256;

std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// The first characters of a text, at most kMaxEach; never a part of one.
std::string_view Cut(std::string_view text) {
  std::size_t bytes = 0;
  for (std::size_t count = 0; bytes < text.size() && count < kMaxEach; ++count) {
    const std::size_t length = Utf8Length(text.substr(bytes));
    bytes += length == 0 ? 1 : length;
  }
  return text.substr(0, bytes);
}

// In quotes, with what a header may not hold left out.
std::string QuoteForHeader(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f)
      out.push_back(c);
  }
  return out + "\"";
}

std::vector<std::string_view> Distinct(const std::vector<std::string>& warnings) {
  std::vector<std::string_view> out;
  for (const std::string& warning : warnings) {
    if (out.size() == kMaxWarnings) break;
    if (!warning.empty() && std::find(out.begin(), out.end(), warning) == out.end())
      out.push_back(warning);
  }
  return out;
}

}  // namespace

void AddWarnings(const std::vector<std::string>& warnings, http::Response* response) {
  const std::vector<std::string_view> distinct = Distinct(warnings);
  std::size_t total = 0;
  for (const std::string_view text : distinct) total += CountCharacters(text);
  const bool cut = total > kMaxTotal;
  std::size_t written = 0;
  for (const std::string_view text : distinct) {
    // The one that goes over the total is still sent.
    if (cut && written >= kMaxTotal) return;
    const std::string_view sent = cut ? Cut(text) : text;
    written += CountCharacters(sent);
    response->headers.Add("Warning", "299 - " + QuoteForHeader(sent));
  }
}

}  // namespace asyncops::apiserver
