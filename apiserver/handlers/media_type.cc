#include "apiserver/handlers/media_type.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace asyncops::apiserver {
namespace {

std::string_view Unquote(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text.remove_prefix(1);
    text.remove_suffix(1);
  }
  return text;
}

// Takes the part before the next `separator` off the front of the text.
std::string_view Take(std::string_view* text, char separator) {
  const std::size_t at = text->find(separator);
  const std::string_view part = text->substr(0, at);
  text->remove_prefix(at == std::string_view::npos ? text->size() : at + 1);
  return TrimBlanks(part);
}

double ParseQuality(std::string_view text) {
  double quality = 1.0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), quality);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole && quality >= 0.0 && quality <= 1.0 ? quality : 1.0;
}

}  // namespace

std::string_view MediaType::Parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

bool MediaType::Includes(std::string_view concrete) const {
  if (type == concrete || type == "*/*") return true;
  if (!type.ends_with("/*")) return false;
  return concrete.starts_with(std::string_view(type).substr(0, type.size() - 1));
}

MediaType ParseMediaType(std::string_view text) {
  MediaType media;
  media.type = LowerCase(Take(&text, ';'));
  while (!text.empty()) {
    std::string_view parameter = Take(&text, ';');
    if (parameter.empty()) continue;
    const std::string name = LowerCase(Take(&parameter, '='));
    const std::string_view value = Unquote(TrimBlanks(parameter));
    if (name == "q") {
      media.quality = ParseQuality(value);
    } else {
      media.parameters.emplace_back(name, value);
    }
  }
  return media;
}

std::vector<MediaType> ParseAccept(std::string_view text) {
  std::vector<MediaType> clauses;
  while (!text.empty()) {
    MediaType media = ParseMediaType(Take(&text, ','));
    if (!media.type.empty() && media.quality > 0.0) clauses.push_back(std::move(media));
  }
  if (clauses.empty()) clauses.push_back(ParseMediaType("*/*"));
  std::stable_sort(clauses.begin(), clauses.end(),
                   [](const MediaType& a, const MediaType& b) { return a.quality > b.quality; });
  return clauses;
}

}  // namespace asyncops::apiserver
