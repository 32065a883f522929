#include <algorithm>

#include "apiserver/http/request.h"
#include "base/encoding.h"

namespace asyncops::http {

std::optional<Query> Query::Parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = PercentDecode(pair.substr(0, equals), true);
    std::optional<std::string> value =
        PercentDecode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return std::nullopt;
    query.all_.emplace_back(*std::move(name), *std::move(value));
  }
  return query;
}

std::string_view Query::Get(std::string_view name) const {
  for (const auto& [key, value] : all_) {
    if (key == name) return value;
  }
  return "";
}

std::vector<std::string_view> Query::GetAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : all_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool Query::Has(std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(),
                     [name](const auto& parameter) { return parameter.first == name; });
}

}  // namespace asyncops::http
